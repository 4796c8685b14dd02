import doctest
import inspect
import re
import shutil
import types

import pytest

import copysift
from tests.cli.program import ROOT


def test_the_public_names_are_sorted_and_all_there():
    assert copysift.__all__ == sorted(copysift.__all__)
    for name in copysift.__all__:
        assert getattr(copysift, name) is not None
    assert set(copysift.__all__) <= set(dir(copysift))


def test_the_lazy_table_and_the_public_names_agree():
    assert {*copysift._HOMES, "__version__"} == set(copysift.__all__)


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(copysift, "no_such_name")


PUBLIC = [name for name in copysift.__all__ if callable(getattr(copysift, name))]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_function_and_class_has_an_example_that_runs(name, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples" / "essays", tmp_path / "essays")
    monkeypatch.chdir(tmp_path)
    value = getattr(copysift, name)
    example = doctest.DocTestParser().get_doctest(
        inspect.getdoc(value), {"copysift": copysift}, name, None, 0
    )
    assert example.examples
    said = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append)
    assert not said, "".join(said)


def methods():
    for name in copysift.__all__:
        value = getattr(copysift, name)
        for own in dir(value) if inspect.isclass(value) else ():
            member = inspect.getattr_static(value, own)
            if not own.startswith("_") and isinstance(member, property | classmethod | types.FunctionType):
                yield f"{name}.{own}", member


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make what the examples of methods use once: an index, one with a sweep, and a run."""
    place = tmp_path_factory.mktemp("made")
    shutil.copytree(ROOT / "examples" / "essays", place / "essays")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        with copysift.Index("essays.sift", keep_text=True) as index:
            index.add("essays")
        with copysift.Index("sweeps.sift", keep_text=True) as sweeps:
            sweeps.sweep("essays", date="2026-01-01")
        copysift.cluster("essays", run="RUN")
    return place


OPENED = {
    "index": lambda: copysift.Index("essays.sift"),
    "sweeps": lambda: copysift.Index("sweeps.sift"),
    "run": lambda: copysift.Run("RUN"),
    "folders": lambda: copysift.compare_folders("essays/drafts", "essays/web"),
}


METHODS = dict(methods())


@pytest.mark.filterwarnings("ignore:Index.holders.* is now:DeprecationWarning")
@pytest.mark.parametrize("name", METHODS)
def test_every_public_method_has_an_example_that_runs(name, made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    example = doctest.DocTestParser().get_doctest(
        inspect.getdoc(METHODS[name]) or "", {"copysift": copysift}, name, None, 0
    )
    assert example.examples
    source = "".join(each.source for each in example.examples)
    used = {each for each in OPENED if re.search(rf"\b{each}\.", source)}
    example.globs.update({each: OPENED[each]() for each in used})
    said = []
    try:
        doctest.DocTestRunner().run(example, out=said.append, clear_globs=False)
    finally:
        for each in used & {"index", "sweeps"}:
            example.globs[each].close()
    assert not said, "".join(said)


def test_a_function_is_not_hidden_by_the_folder_of_its_name():
    import copysift.fingerprints.schemes  # imports the folder, whichever came first

    assert inspect.isfunction(copysift.fingerprint)


def public_callables():
    for name in copysift.__all__:
        value = getattr(copysift, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for own, member in inspect.getmembers(value):
                if isinstance(member, property):
                    member = member.fget
                if inspect.isfunction(member) and (own == "__init__" or not own.startswith("_")):
                    yield f"{name}.{own}", member


def test_no_public_signature_says_any():
    checked = 0
    for name, function in public_callables():
        said = [str(each) for each in inspect.get_annotations(function).values()]
        assert not [each for each in said if re.search(r"\bAny\b", each)], name
        signature = inspect.signature(function)
        for parameter in signature.parameters.values():
            if parameter.name != "self":
                assert parameter.annotation is not parameter.empty, (name, parameter)
            if parameter.kind is parameter.VAR_KEYWORD:
                assert str(parameter.annotation).startswith("Unpack["), name
        checked += 1
    assert checked > 40

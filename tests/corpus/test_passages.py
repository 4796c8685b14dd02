import subprocess
import sys

from copysift.engines.passages import cut


def test_tags_inside_a_passage_stay_and_what_is_not_closed_goes():
    assert cut(b"a <b>c</b> d <e f", [(2, 17)], markup=True) == b"a <b></b>"


def test_a_passage_of_open_brackets_is_cut_in_one_pass():
    code = "from copysift.engines.passages import cut; print(cut(b'<' * 10**6, [(0, 10**6)], markup=True))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert done.stdout == b"b''\n"

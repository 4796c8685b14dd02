#!/bin/sh
# Fuzz a target: fuzz/run.sh TARGET [options of libFuzzer]. Without a target: list them.
# What it learns is kept in build/fuzz/corpus, and a finding in build/fuzz/findings.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=${COPYSIFT_ROOT:-$(dirname "$here")}
python=${PYTHON:-$root/.venv/bin/python}
out=$root/build/fuzz
site=$($python -c "import sysconfig; print(sysconfig.get_path('purelib'))"):$($python -c "import numpy, pathlib; print(pathlib.Path(numpy.__file__).parents[1])")
export PYTHONPATH="$here:$out:$site" PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
if [ $# = 0 ]; then
    PYTHONPATH="$here:$root/src:$site" exec $python -c "from targets import TARGETS; print(*TARGETS, sep='\n')"
fi
target=$1
shift
[ -x "$out/fuzz" ] || "$here/build.sh"
mkdir -p "$out/corpus/$target" "$out/findings" "$here/corpus/$target"
[ -n "$(ls "$out/corpus/$target")" ] || PYTHONPATH="$here:$root/src:$root:$site" $python "$here/seeds.py" "$target" "$out/corpus/$target"
export COPYSIFT_FUZZ=$target
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:${ASAN_OPTIONS:-}
exec "$out/fuzz" -artifact_prefix="$out/findings/$target-" -rss_limit_mb=4000 -timeout=60 "$@" "$out/corpus/$target" "$here/corpus/$target"

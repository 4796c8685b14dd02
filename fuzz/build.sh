#!/bin/sh
# Build the fuzzers with clang: kernels with ASan, UBSan and coverage in build/fuzz, beside links to the rest.
# build.sh native: only the programs of native.c, one for each kernel, in build/fuzz/native.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
out=$PWD/build/fuzz
checks=address,undefined
spared=-fno-sanitize=alignment,pointer-overflow
mkdir -p "$out/temp" "$out/native"
if [ "${1:-}" = native ]; then
    PYTHONPATH=src $python fuzz/lex_tables.py > "$out/native/lex_tables.h"
    for target in $(sed -n 's/^static void fuzz_\([a-z]*\)(input in) {$/\1/p' fuzz/native*.[ch]); do
        clang -g -O2 -Wno-unused-function -Isrc/copysift/kernels -I"$out/native" -fno-sanitize-recover=all \
            -fsanitize=fuzzer,$checks $spared -DFUZZ="fuzz_$target" fuzz/native.c -o "$out/native/$target"
    done
    exit
fi
CC=clang LDSHARED="clang -shared" CFLAGS="-g -fno-omit-frame-pointer -fno-sanitize-recover=all -fsanitize=fuzzer-no-link,$checks $spared" \
    LDFLAGS="-fsanitize=fuzzer-no-link,$checks" \
    $python setup.py -q build_ext --build-lib "$out" --build-temp "$out/temp"
find src/copysift -type d ! -name __pycache__ | sed "s|^src/||" | xargs -I{} mkdir -p "$out/{}"
find src/copysift -type f ! -name '*.so' ! -name '*.pyc' | while read -r file; do
    ln -sf "$PWD/$file" "$out/${file#src/}"
done
set -- $($python -c "import sysconfig as s; print(s.get_path('include'), s.get_config_var('LIBDIR'), s.get_config_var('LDVERSION'))")
clang -g -O1 -I"$1" -fsanitize=fuzzer,$checks -rdynamic fuzz/harness.c -L"$2" -lpython"$3" -Wl,-rpath,"$2" -o "$out/fuzz"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t state = 88172645463325252ULL;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void multiply(double a[8][8], double b[8][8], double out[8][8]) {
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            double sum = 0;
            for (int k = 0; k < 8; k++) sum += a[i][k] * b[k][j];
            out[i][j] = sum;
        }
}

static double largest(double a[8][8]) {
    double found = -1e300;
    for (int i = 0; i < 64; i++)
        if (a[i / 8][i % 8] > found) found = a[i / 8][i % 8];
    return found;
}

int main(void) {
    double a[8][8], b[8][8], c[8][8];
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < 64; i++) {
            a[i / 8][i % 8] = (double)(next() % 1000) / 7;
            b[i / 8][i % 8] = (double)(next() % 1000) / 11;
        }
        multiply(a, b, c);
        if (round % 100 == 0) printf("%4d %12.4f\n", round, largest(c));
    }
    return 0;
}

#include <stdio.h>
#include <stdlib.h>

static const char *at;

static double expression(void);

static void blanks(void) {
    while (*at == ' ') at++;
}

static double factor(void) {
    double value;
    blanks();
    if (*at == '(') {
        at++;
        value = expression();
        blanks();
        if (*at == ')') at++;
        return value;
    }
    if (*at == '-') {
        at++;
        return -factor();
    }
    char *end;
    value = strtod(at, &end);
    at = end;
    return value;
}

static double term(void) {
    double value = factor();
    for (;;) {
        blanks();
        if (*at == '*') { at++; value *= factor(); }
        else if (*at == '/') { at++; value /= factor(); }
        else return value;
    }
}

static double expression(void) {
    double value = term();
    for (;;) {
        blanks();
        if (*at == '+') { at++; value += term(); }
        else if (*at == '-') { at++; value -= term(); }
        else return value;
    }
}

int main(void) {
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL) {
        at = line;
        printf("= %g\n", expression());
    }
    return 0;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    double number;
    struct cell *below;
};

static struct cell *head = NULL;

static void put(double number) {
    struct cell *fresh = malloc(sizeof *fresh);
    if (fresh == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    fresh->number = number;
    fresh->below = head;
    head = fresh;
}

static int take(double *number) {
    struct cell *old = head;
    if (old == NULL)
        return 0;
    *number = old->number;
    head = old->below;
    free(old);
    return 1;
}

static int apply(char sign) {
    double a, b;
    if (!take(&b) || !take(&a)) {
        fprintf(stderr, "too few numbers for %c\n", sign);
        return 0;
    }
    if (sign == '+') put(a + b);
    else if (sign == '-') put(a - b);
    else if (sign == '*') put(a * b);
    else if (b == 0) return 0;
    else put(a / b);
    return 1;
}

int main(int argc, char **argv) {
    double result;
    for (int i = 1; i < argc; i++) {
        char *end;
        double number = strtod(argv[i], &end);
        if (*end == '\0' && end != argv[i])
            put(number);
        else if (strlen(argv[i]) == 1 && strchr("+-*/", argv[i][0]))
            apply(argv[i][0]);
        else
            fprintf(stderr, "what is %s?\n", argv[i]);
    }
    while (take(&result))
        printf("%g ", result);
    printf("\n");
    return 0;
}

#include <stdio.h>
#include <string.h>

typedef double (*operation)(double, double);

static double plus(double a, double b) { return a + b; }
static double minus(double a, double b) { return a - b; }
static double times(double a, double b) { return a * b; }
static double over(double a, double b) { return b != 0 ? a / b : 0; }

static const struct {
    const char *name;
    operation run;
} known[] = {{"+", plus}, {"-", minus}, {"*", times}, {"/", over}};

static operation find(const char *name) {
    size_t count = sizeof known / sizeof known[0];
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(known[i].name, name) == 0)
            return known[i].run;
    }
    return NULL;
}

int main(void) {
    double numbers[64];
    int depth = 0;
    char word[32];
    while (scanf("%31s", word) == 1) {
        operation run = find(word);
        if (run != NULL && depth >= 2) {
            depth--;
            numbers[depth - 1] = run(numbers[depth - 1], numbers[depth]);
        } else if (run == NULL && depth < 64) {
            sscanf(word, "%lf", &numbers[depth]);
            depth++;
        } else {
            puts("cannot do that");
        }
    }
    for (int i = depth - 1; i >= 0; --i)
        printf("%d: %f\n", i, numbers[i]);
    return 0;
}

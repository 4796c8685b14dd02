#include <stdio.h>
#include <stdlib.h>
#include <ctype.h>

#define SIZE 100

static double stack[SIZE];
static int top = 0;

static void push(double value) {
    if (top < SIZE)
        stack[top++] = value;
    else
        printf("error: stack full, can't push %g\n", value);
}

static double pop(void) {
    if (top > 0)
        return stack[--top];
    printf("error: stack empty\n");
    return 0.0;
}

static int next_token(char *into, int limit) {
    int c, length = 0;
    while ((c = getchar()) == ' ' || c == '\t')
        ;
    into[0] = c;
    into[1] = '\0';
    if (!isdigit(c) && c != '.')
        return c;
    while (isdigit(c) || c == '.') {
        if (length < limit - 1)
            into[length++] = c;
        c = getchar();
    }
    into[length] = '\0';
    if (c != EOF)
        ungetc(c, stdin);
    return '0';
}

int main(void) {
    char token[SIZE];
    int type;
    while ((type = next_token(token, SIZE)) != EOF) {
        double second;
        switch (type) {
        case '0': push(atof(token)); break;
        case '+': push(pop() + pop()); break;
        case '*': push(pop() * pop()); break;
        case '-': second = pop(); push(pop() - second); break;
        case '/':
            second = pop();
            if (second != 0.0) push(pop() / second);
            else printf("error: zero divisor\n");
            break;
        case '\n': printf("\t%.8g\n", pop()); break;
        default: printf("error: unknown command %s\n", token); break;
        }
    }
    return 0;
}

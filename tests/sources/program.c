#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word { char *text; int seen; struct word *next; };
static struct word *table[4096];
static int count, limit = 100000;

static unsigned hash(const char *text) {
    unsigned value = 5381;
    while (*text) value = value * 33 ^ (unsigned char)*text++;
    return value % 4096;
}

static struct word *find(const char *text) {
    unsigned place = hash(text);
    for (struct word *each = table[place]; each; each = each->next)
        if (strcmp(each->text, text) == 0) return each;
/* HERE */
    struct word *made = calloc(1, sizeof *made);
    if (!made) { fputs("out of memory\n", stderr); exit(2); }
    made->text = strdup(text);
    made->next = table[place];
    table[place] = made;
    count++;
    return made;
}

static int by_count(const void *left, const void *right) {
    const struct word *const *a = left, *const *b = right;
    if ((*a)->seen != (*b)->seen) return (*b)->seen - (*a)->seen;
    return strcmp((*a)->text, (*b)->text);
}

static void read_words(FILE *file) {
    char text[256];
    int size = 0, c;
    while ((c = getc(file)) != EOF) {
        if (isalpha(c) && size < 255) { text[size++] = tolower(c); continue; }
        if (size) { text[size] = 0; find(text)->seen++; size = 0; }
    }
    if (size) { text[size] = 0; find(text)->seen++; }
}

static double mean_length(struct word **words) {
    double letters = 0, all = 0;
    for (int at = 0; at < count; at++) {
        letters += (double)strlen(words[at]->text) * words[at]->seen;
        all += words[at]->seen;
    }
    return all > 0 ? letters / all : 0;
}

static void print_bars(struct word **words, int most) {
    int widest = words[0]->seen;
    for (int at = 0; at < most && at < count; at++) {
        int width = widest ? words[at]->seen * 50 / widest : 0;
        printf("%20s %6d ", words[at]->text, words[at]->seen);
        while (width-- > 0) putchar('#');
        putchar('\n');
    }
}

int main(int argc, char **argv) {
    for (int at = 1; at < argc; at++) {
        FILE *file = fopen(argv[at], "r");
        if (!file) { perror(argv[at]); return 2; }
        read_words(file);
        fclose(file);
    }
    if (argc < 2) read_words(stdin);
    struct word **words = malloc((count + 1) * sizeof *words);
    int at = 0;
    for (int place = 0; place < 4096; place++)
        for (struct word *each = table[place]; each; each = each->next) words[at++] = each;
    qsort(words, count, sizeof *words, by_count);
    printf("%d different words, %.2f letters on average\n", count, mean_length(words));
    if (count) print_bars(words, 20);
    return 0;
}

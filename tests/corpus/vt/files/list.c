/* A list that keeps its words in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

struct node {
    struct node *next;
    char word[MOST];
    unsigned count;
};

static struct node *insert(struct node **head, const char *word)
{
    struct node **at = head;
    while (*at != NULL && strcmp((*at)->word, word) < 0)
        at = &(*at)->next;
    if (*at != NULL && strcmp((*at)->word, word) == 0) {
        (*at)->count++;
        return *at;
    }
    struct node *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL) {
        perror("calloc");
        exit(1);
    }
    snprintf(fresh->word, sizeof fresh->word, "%s", word);
    fresh->count = 1;
    fresh->next = *at;
    *at = fresh;
    return fresh;
}

int main(int argc, char **argv)
{
    struct node *head = NULL;
    for (int i = 1; i < argc; i++)
        insert(&head, argv[i]);
    for (struct node *n = head; n != NULL; n = n->next)
        printf("%-20s %3u\t%s\n", n->word, n->count, n->count > 1 ? "often" : "once");
    return 0;
}

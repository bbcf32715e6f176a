#include "tools/signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void note_signal(int number)
{
    caught = number;
}

void signals_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action;
        /* One that is ignored stays so, as for a program under nohup. */
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        action.sa_handler = note_signal;
        action.sa_flags = 0;
        (void)sigemptyset(&action.sa_mask);
        (void)sigaction(numbers[i], &action, NULL);
    }
}

bool signals_caught(void)
{
    return caught != 0;
}

void signals_raise(void)
{
    if (caught == 0)
        return;
    (void)signal(caught, SIG_DFL);
    (void)raise(caught);
}

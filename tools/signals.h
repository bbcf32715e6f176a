/* Ending by a signal without leaving anything behind. */
#ifndef TOOLS_SIGNALS_H
#define TOOLS_SIGNALS_H

#include <stdbool.h>

/* Lets SIGINT, SIGTERM and SIGHUP be noticed instead of ending the program at once. */
void signals_catch(void);

/* Whether one of them came. */
bool signals_caught(void);

/* Ends the program by the signal that came, if one did. */
void signals_raise(void);

#endif

/* Files that come in place of a model's: told by their first bytes. */
#ifndef TT_IO_FOREIGN_FILE_H
#define TT_IO_FOREIGN_FILE_H

/* What a file with these first bytes (terminated) is, and what to do; NULL: nothing that is known. */
const char *foreign_file(const char *head);

#endif

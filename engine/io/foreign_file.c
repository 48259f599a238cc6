/* Git LFS pointers, web pages, pickles and other models' formats. */
#include "engine/io/foreign_file.h"

#include <stddef.h>

#include "engine/base/str.h"

const char *foreign_file(const char *head)
{
    static const struct {
        const char *magic, *kind;
    } known[] = {
        {"version https://git-lfs",
         "a Git LFS pointer, not the file itself (git lfs pull gets it)"},
        {"<!DOC", "an HTML page, not a model's file"},
        {"<!doc", "an HTML page, not a model's file"},
        {"<html", "an HTML page, not a model's file"},
        {"<HTML", "an HTML page, not a model's file"},
        {"PK\x03\x04", "a ZIP archive as torch.save makes (only safetensors files are read)"},
        {"\x80\x02", "a Python pickle (only safetensors files are read)"},
        {"GGUF", "a GGUF file (only safetensors files are read)"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (str_starts(head, known[i].magic))
            return known[i].kind;
    }
    return NULL;
}

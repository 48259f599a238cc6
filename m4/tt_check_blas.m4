# TT_CHECK_BLAS(WHICH): sets BLAS_CFLAGS and BLAS_LIBS to a working cblas, or ends configure.
# WHICH is `auto`, a pkg-config name, or link flags (they begin with a dash).
AC_DEFUN([TT_CHECK_BLAS], [
AC_ARG_VAR([BLAS_CFLAGS], [compiler flags for cblas.h])
AC_ARG_VAR([BLAS_LIBS], [linker flags for a cblas])
tt_saved_libs=$LIBS
tt_saved_cppflags=$CPPFLAGS
tt_blas=
AS_CASE([$1],
    [auto], [tt_candidates="openblas -lopenblas -lcblas:-lblas"],
    [no|yes|""], [AC_MSG_ERROR([--with-blas needs a pkg-config name or link flags])],
    [tt_candidates=$(printf '%s' "$1" | tr ' ' ':')])
AS_IF([test -n "$BLAS_LIBS"], [tt_candidates=$(printf '%s' "$BLAS_LIBS" | tr ' ' ':')])
for tt_candidate in $tt_candidates; do
    AS_CASE([$tt_candidate],
        [-*|/*], [tt_libs=$(printf '%s' "$tt_candidate" | tr ':' ' ')
                  tt_cflags=$BLAS_CFLAGS],
        [tt_libs=$($PKG_CONFIG --libs "$tt_candidate" 2>/dev/null) || continue
         tt_cflags=$($PKG_CONFIG --cflags "$tt_candidate")])
    LIBS="$tt_libs $tt_saved_libs"
    CPPFLAGS="$tt_saved_cppflags $tt_cflags"
    AC_MSG_CHECKING([for cblas_sgemm with $tt_libs])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([#include <cblas.h>],
        [[float x = 1; cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1,
                                   &x, 1, &x, 1, 0, &x, 1);]])],
        [tt_blas=yes], [tt_blas=no])
    AC_MSG_RESULT([$tt_blas])
    AS_IF([test $tt_blas = yes], [break])
done
AS_IF([test "$tt_blas" != yes], [AC_MSG_ERROR(
    [no working cblas ($1): install libopenblas-openmp-dev or name another by --with-blas=LIB])])
BLAS_LIBS=$tt_libs
BLAS_CFLAGS=$tt_cflags
LIBS=$tt_saved_libs
CPPFLAGS=$tt_saved_cppflags
])

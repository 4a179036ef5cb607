/* Moves data: reads plain TREC files into columns, and finds the rows of several files that name the same document.

   Everything here has a twin in NumPy and Arrow that gives the same answers (tests/kernel holds them together), so this
   file may decline whatever is unusual: it then returns nonzero, and the twin reads the file or words the refusal.
   Plain C without the interface of Python, called by ctypes: no interpreter lock is held, threads work side by side. */

#define _GNU_SOURCE /* for strtod_l */

#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#if !defined(__SIZEOF_INT128__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "needs 128-bit integers and little-endian words; without this library NumPy and Arrow do the work"
#endif

#ifndef TIECORE_SOURCE
#define TIECORE_SOURCE ""
#endif
const char *const tiecore_source = TIECORE_SOURCE; /* tells from which state of this file the library was made */

typedef unsigned char byte;

enum { DONE = 0, DECLINED = 1 };
enum { PADDING = 32 }; /* bytes behind the last one of buffers and columns, which may be read or written */

static uint64_t word_at(const byte *from) {
    uint64_t word;
    memcpy(&word, from, 8);
    return word;
}

static uint64_t mixed(uint64_t left, uint64_t right) {
    unsigned __int128 product = (unsigned __int128)left * right;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint32_t half_word_at(const byte *from) {
    uint32_t word;
    memcpy(&word, from, 4);
    return word;
}

/* Bytes of a text of less than eight, in one number. */
static uint64_t short_text(const byte *text, int64_t length) {
    if (length >= 4) return half_word_at(text) | (uint64_t)half_word_at(text + length - 4) << 32;
    if (!length) return 0;
    return text[0] | (uint64_t)text[length / 2] << 8 | (uint64_t)text[length - 1] << 16;
}

static uint64_t hash_of(const byte *text, int64_t length) {
    uint64_t hash = (uint64_t)length * 0x9E3779B97F4A7C15u;
    int64_t at = 0;
    for (; at + 8 < length; at += 8) hash = mixed(hash ^ word_at(text + at), 0xD6E8FEB86659FD93u);
    uint64_t last = length >= 8 ? word_at(text + length - 8) : short_text(text, length);
    return mixed(hash ^ last, 0xA0761D6478BD642Fu);
}

static int is_same(const byte *left, const byte *right, int64_t length) {
    if (length < 8) return short_text(left, length) == short_text(right, length);
    for (int64_t at = 0; at + 8 < length; at += 8)
        if (word_at(left + at) != word_at(right + at)) return 0;
    return word_at(left + length - 8) == word_at(right + length - 8);
}

/* --- columns that grow ---------------------------------------------------------------------------------------- */

typedef struct {
    byte *bytes;
    int64_t used, room; /* bytes */
} column;

static int reserve(column *own, int64_t room) {
    if (room <= own->room) return DONE;
    byte *bytes = realloc(own->bytes, (size_t)room + PADDING);
    if (!bytes) return DECLINED;
    own->bytes = bytes;
    own->room = room;
    return DONE;
}

/* --- reading -------------------------------------------------------------------------------------------------- */

enum { BUFFER = 1 << 18, LONGEST_LINE = 1 << 16 };
enum { QUERY, DOCUMENT_END, DOCUMENT, VALUE, RANK, QUERY_END, QUERY_TEXT, TAG, N_COLUMNS }; /* as in library.py */

typedef struct {
    int is_run;
    int several_tags;
    int64_t n_rows, room; /* rows that are read, and those that there is room for */
    int64_t n_bytes;      /* of the source, as far as is known */
    column columns[N_COLUMNS];
    int32_t *slots; /* hash table of the queries: code + 1, or 0 */
    uint32_t n_slots, n_queries;
    int32_t query; /* that of the last line */
    locale_t plain;
    int64_t kept; /* bytes in the buffer, the beginning of a line */
    byte buffer[BUFFER + PADDING];
} reader;

reader *tiecore_open(int is_run, int64_t n_bytes) {
    reader *own = calloc(1, sizeof(reader));
    if (!own) return NULL;
    own->is_run = is_run;
    own->n_bytes = n_bytes;
    own->query = -1;
    own->n_slots = 1024;
    own->slots = calloc(own->n_slots, sizeof(int32_t));
    own->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return own;
}

void tiecore_close(reader *own) {
    if (!own) return;
    for (int place = 0; place < N_COLUMNS; place++) free(own->columns[place].bytes);
    free(own->slots);
    if (own->plain) freelocale(own->plain);
    free(own);
}

void tiecore_free(void *bytes) { free(bytes); }

/* Hands a column over, which is the caller's to free from then on. */
void *tiecore_take(reader *own, int place, int64_t *n_bytes) {
    column *taken = &own->columns[place];
    byte *bytes = taken->bytes;
    *n_bytes = taken->used;
    if (bytes && taken->used + PADDING < taken->room) {
        byte *shorter = realloc(bytes, (size_t)taken->used + PADDING);
        if (shorter) bytes = shorter;
    }
    memset(taken, 0, sizeof(column));
    return bytes;
}

int tiecore_several_tags(const reader *own) { return own->several_tags; }

static int reserve_rows(reader *own, int64_t n_rows) {
    static const int WIDTH[] = {[QUERY] = 4, [DOCUMENT_END] = 4, [VALUE] = 8, [RANK] = 8};
    for (int place = QUERY; place <= RANK; place++) {
        int64_t extra = place == DOCUMENT_END; /* it begins with 0 */
        if (place == DOCUMENT || (place == RANK && !own->is_run)) continue;
        if (reserve(&own->columns[place], (n_rows + extra) * WIDTH[place])) return DECLINED;
    }
    own->room = n_rows;
    return DONE;
}

/* Ends at the first byte that is a blank, a control character or not ASCII. */
static const byte *token_end(const byte *at) {
    for (;; at += 8) {
        uint64_t word = word_at(at);
        uint64_t found = ((word - 0x2121212121212121u) | word) & 0x8080808080808080u;
        if (found) return at + (__builtin_ctzll(found) >> 3);
    }
}

static const byte *behind_blanks(const byte *at) {
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

static int grow_slots(reader *own) {
    uint32_t n_slots = own->n_slots * 2;
    int32_t *slots = calloc(n_slots, sizeof(int32_t));
    if (!slots) return DECLINED;
    const int32_t *ends = (const int32_t *)own->columns[QUERY_END].bytes;
    const byte *texts = own->columns[QUERY_TEXT].bytes;
    for (uint32_t code = 0; code < own->n_queries; code++) {
        uint32_t slot = (uint32_t)hash_of(texts + ends[code], ends[code + 1] - ends[code]) & (n_slots - 1);
        while (slots[slot]) slot = (slot + 1) & (n_slots - 1);
        slots[slot] = (int32_t)code + 1;
    }
    free(own->slots);
    own->slots = slots;
    own->n_slots = n_slots;
    return DONE;
}

/* Finds the code of a query, which is a new one where it has not been seen. */
static int find_query(reader *own, const byte *text, int64_t length) {
    column *ends = &own->columns[QUERY_END], *texts = &own->columns[QUERY_TEXT];
    uint32_t slot = (uint32_t)hash_of(text, length) & (own->n_slots - 1);
    for (; own->slots[slot]; slot = (slot + 1) & (own->n_slots - 1)) {
        int32_t code = own->slots[slot] - 1, begin = ((int32_t *)ends->bytes)[code];
        if (((int32_t *)ends->bytes)[code + 1] - begin == length && is_same(texts->bytes + begin, text, length)) {
            own->query = code;
            return DONE;
        }
    }
    if (texts->used + length > INT32_MAX || own->n_queries >= INT32_MAX / 4) return DECLINED;
    if (texts->used + length > texts->room && reserve(texts, 2 * (texts->used + length) + 4096)) return DECLINED;
    if (ends->used + 8 > ends->room && reserve(ends, 2 * ends->used + 4096)) return DECLINED;
    if (!ends->used) {
        ((int32_t *)ends->bytes)[0] = 0;
        ends->used = 4;
    }
    memcpy(texts->bytes + texts->used, text, (size_t)length);
    texts->used += length;
    ((int32_t *)ends->bytes)[ends->used / 4] = (int32_t)texts->used;
    ends->used += 4;
    own->slots[slot] = (int32_t)own->n_queries + 1;
    own->query = (int32_t)own->n_queries++;
    return 2 * own->n_queries > own->n_slots ? grow_slots(own) : DONE;
}

/* Reads a whole number of at most 15 digits, so that floats hold it too. */
static int whole(const byte *at, const byte *end, int with_plus, int64_t *number) {
    int64_t sum = 0;
    int is_negative = *at == '-';
    if (is_negative || (with_plus && *at == '+')) at++;
    if (at == end || end - at > 15) return DECLINED;
    for (; at < end; at++) {
        unsigned digit = (unsigned)*at - '0';
        if (digit > 9) return DECLINED;
        sum = 10 * sum + digit;
    }
    *number = is_negative ? -sum : sum;
    return DONE;
}

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static const uint64_t WHOLE_POWERS[] = {1u,
                                        10u,
                                        100u,
                                        1000u,
                                        10000u,
                                        100000u,
                                        1000000u,
                                        10000000u,
                                        100000000u,
                                        1000000000u,
                                        10000000000u,
                                        100000000000u,
                                        1000000000000u,
                                        10000000000000u,
                                        100000000000000u,
                                        1000000000000000u,
                                        10000000000000000u,
                                        100000000000000000u,
                                        1000000000000000000u,
                                        10000000000000000000u};

/* The double nearest to a quotient, ties to even, by exact division; both numbers are positive. */
static double quotient(uint64_t number, uint64_t divisor) {
    int up = __builtin_clzll(divisor), up_number = __builtin_clzll(number);
    divisor <<= up;
    /* both have 64 bits now; the quotient of a number of 127 bits by one of 64 has 63 or 64 */
    unsigned __int128 dividend = (unsigned __int128)(number << up_number) << 63;
    uint64_t result = (uint64_t)(dividend / divisor);
    int is_inexact = (dividend % divisor) != 0;
    int shift = 11 - __builtin_clzll(result);
    uint64_t kept = result >> shift, left = result & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    if (left > half || (left == half && (is_inexact || (kept & 1)))) kept++;
    int exponent = shift + 1 - up_number + up - 64;
    double power;
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    memcpy(&power, &bits, 8);
    return (double)kept * power;
}

/* Reads a decimal number as the double nearest to it; declines infinities, NaN and what begins with a plus, and all
   from 2^53 on, where whole numbers have to stay whole. */
static int decimal(const reader *own, const byte *at, const byte *end, double *number) {
    const byte *begin = at;
    uint64_t digits = 0;
    int n_digits = 0, n_decimals = 0, exponent = 0, has_digit = 0, is_long = 0;
    int is_negative = *at == '-';
    at += is_negative;
    for (; (unsigned)*at - '0' <= 9; at++) {
        has_digit = 1;
        if (n_digits < 19) {
            digits = 10 * digits + (*at - '0');
            n_digits += digits != 0;
        } else
            is_long = 1;
    }
    if (*at == '.') {
        at++;
        for (; (unsigned)*at - '0' <= 9; at++) {
            has_digit = 1;
            if (n_digits < 19) {
                digits = 10 * digits + (*at - '0');
                n_digits += digits != 0;
                n_decimals++;
            } else
                is_long = 1;
        }
    }
    if (!has_digit) return DECLINED;
    if (*at == 'e' || *at == 'E') {
        at++;
        int is_below = *at == '-';
        at += is_below || *at == '+';
        if (at == end || end - at > 4) return DECLINED;
        for (; (unsigned)*at - '0' <= 9; at++) exponent = 10 * exponent + (*at - '0');
        exponent = is_below ? -exponent : exponent;
    }
    if (at != end) return DECLINED;
    exponent -= n_decimals;
    double found;
    if (is_long || (digits && (exponent < -19 || exponent > 22 || (exponent > 0 && digits >> 53)))) {
        char text[LONGEST_LINE];
        if (!own->plain || end - begin >= (int64_t)sizeof text) return DECLINED;
        memcpy(text, begin + is_negative, (size_t)(end - begin - is_negative));
        text[end - begin - is_negative] = 0;
        found = strtod_l(text, NULL, own->plain);
    } else if (!digits)
        found = 0.0;
    else if (exponent >= 0)
        found = (double)digits * POWERS[exponent];
    else if (digits >> 53)
        found = quotient(digits, WHOLE_POWERS[-exponent]);
    else
        found = (double)digits / POWERS[-exponent]; /* both are exact, so the quotient is rounded once */
    if (!(found < 9007199254740992.0)) return DECLINED;
    *number = is_negative ? -found : found;
    return DONE;
}

/* Reads complete lines; a byte that is no part of them can be read behind the last one. */
static int read_lines(reader *own, const byte *at, const byte *end) {
    column *columns = own->columns;
    while (at < end) {
        const byte *line = at = behind_blanks(at);
        const byte *token = token_end(at);
        if (token == at) return DECLINED; /* an empty line among others */
        const int32_t *query_ends = (const int32_t *)columns[QUERY_END].bytes;
        int64_t length = token - at;
        if (own->query < 0 || query_ends[own->query + 1] - query_ends[own->query] != length ||
            !is_same(columns[QUERY_TEXT].bytes + query_ends[own->query], at, length))
            if (find_query(own, at, length)) return DECLINED;

        at = behind_blanks(token);
        token = token_end(at);
        if (token == at) return DECLINED;

        at = behind_blanks(token);
        token = token_end(at);
        length = token - at;
        if (!length) return DECLINED;
        const byte *document = at;
        int64_t document_length = length;

        int64_t rank = 0, grade = 0;
        double score = 0.0;
        at = behind_blanks(token);
        token = token_end(at);
        if (token == at) return DECLINED;
        if (!own->is_run) {
            if (whole(at, token, 1, &grade)) return DECLINED;
        } else {
            if ((*at == '0' && token - at > 1) || (*at == '-' && at[1] == '0')) return DECLINED;
            if (whole(at, token, 0, &rank)) return DECLINED;
            at = behind_blanks(token);
            token = token_end(at);
            if (token == at || decimal(own, at, token, &score)) return DECLINED;
            at = behind_blanks(token);
            token = token_end(at);
            length = token - at;
            if (!length) return DECLINED;
            column *tag = &columns[TAG];
            if (!own->n_rows) {
                if (reserve(tag, length)) return DECLINED;
                memcpy(tag->bytes, at, (size_t)length);
                tag->used = length;
            } else if (tag->used != length || !is_same(tag->bytes, at, length))
                own->several_tags = 1;
        }
        at = behind_blanks(token);
        if (*at == '\r') at++;
        if (*at != '\n') return DECLINED;
        at++;

        if (own->n_rows == own->room) {
            /* at first as many as there are lines of this length, which is the rule; then a quarter more each time */
            int64_t expected = own->n_rows ? own->n_rows / 4 : own->n_bytes / (at - line);
            if (reserve_rows(own, own->n_rows + expected + 64)) return DECLINED;
        }
        column *documents = &columns[DOCUMENT];
        if (documents->used + document_length > documents->room) {
            int64_t expected = own->n_rows ? documents->used / 4 : (own->room + 64) * (document_length + 1);
            if (reserve(documents, documents->used + document_length + expected)) return DECLINED;
        }
        if (documents->used + document_length > INT32_MAX || own->n_rows >= INT32_MAX - 1) return DECLINED;
        int32_t *document_ends = (int32_t *)columns[DOCUMENT_END].bytes;
        if (!own->n_rows) document_ends[0] = 0;
        byte *into = documents->bytes + documents->used;
        if (document_length <= PADDING)
            memcpy(into, document, PADDING);
        else
            memcpy(into, document, (size_t)document_length);
        documents->used += document_length;
        document_ends[own->n_rows + 1] = (int32_t)documents->used;
        ((int32_t *)columns[QUERY].bytes)[own->n_rows] = own->query;
        if (own->is_run) {
            ((double *)columns[VALUE].bytes)[own->n_rows] = score;
            ((int64_t *)columns[RANK].bytes)[own->n_rows] = rank;
        } else
            ((int64_t *)columns[VALUE].bytes)[own->n_rows] = grade;
        own->n_rows++;
    }
    return DONE;
}

/* Reads the complete lines in the buffer and keeps the rest. */
static int read_buffer(reader *own) {
    int64_t end = own->kept;
    while (end && own->buffer[end - 1] != '\n') end--;
    if (own->kept - end > LONGEST_LINE) return DECLINED;
    if (read_lines(own, own->buffer, own->buffer + end)) return DECLINED;
    memmove(own->buffer, own->buffer + end, (size_t)(own->kept - end));
    own->kept -= end;
    return DONE;
}

static int finish(reader *own) {
    if (own->kept) { /* the last line has no end */
        own->buffer[own->kept++] = '\n';
        if (read_buffer(own)) return DECLINED;
    }
    if (!own->n_rows) return DECLINED;
    static const int WIDTH[] = {[QUERY] = 4, [DOCUMENT_END] = 4, [VALUE] = 8, [RANK] = 8};
    for (int place = QUERY; place <= RANK; place++)
        if (place != DOCUMENT && !(place == RANK && !own->is_run))
            own->columns[place].used = (own->n_rows + (place == DOCUMENT_END)) * WIDTH[place];
    return DONE;
}

/* Reads an open file to its end, but no more bytes than `most`. */
int tiecore_read_file(reader *own, int file, int64_t most) {
    for (int64_t n_read = 0;;) {
        ssize_t found = read(file, own->buffer + own->kept, (size_t)(BUFFER - own->kept));
        if (found < 0 && errno == EINTR) continue;
        if (found < 0 || (n_read += found) > most) return DECLINED;
        if (!found) return finish(own);
        own->kept += found;
        if (read_buffer(own)) return DECLINED;
    }
}

/* --- joining -------------------------------------------------------------------------------------------------- */

typedef struct {
    const byte *texts;
    const int32_t *ends;  /* where each id begins, and the last one ends */
    const int64_t *rows;  /* row of the file for each kept row, or NULL where these are the same */
    const int32_t *query; /* of each kept row, ascending */
} part;

typedef struct {
    const byte *text;
    int64_t length;
    uint64_t hash;
} entry;

typedef struct {
    entry *entries;
    uint32_t *slots; /* entry + 1, or 0 */
    int64_t n_entries, n_slots;
} table;

/* Makes room for at least so many documents of a query, and forgets those of the one before. */
static int cleared(table *own, int64_t n_documents) {
    if (n_documents * 2 > own->n_slots) {
        int64_t n_slots = own->n_slots ? own->n_slots : 1024;
        while (n_documents * 2 > n_slots) n_slots *= 2;
        free(own->slots);
        own->slots = malloc((size_t)n_slots * sizeof(uint32_t));
        entry *entries = realloc(own->entries, (size_t)(n_slots / 2) * sizeof(entry));
        own->n_slots = own->slots && entries ? n_slots : 0;
        if (entries) own->entries = entries;
        if (!own->n_slots) return DECLINED;
    }
    memset(own->slots, 0, (size_t)own->n_slots * sizeof(uint32_t));
    own->n_entries = 0;
    return DONE;
}

static int doubled(table *own) {
    int64_t n_entries = own->n_entries;
    if (cleared(own, own->n_slots)) return DECLINED;
    for (int64_t place = 0; place < n_entries; place++) {
        uint64_t slot = own->entries[place].hash & (uint64_t)(own->n_slots - 1);
        while (own->slots[slot]) slot = (slot + 1) & (uint64_t)(own->n_slots - 1);
        own->slots[slot] = (uint32_t)place + 1;
    }
    own->n_entries = n_entries;
    return DONE;
}

/* Finds the place of an id among those of the query, the last of which it becomes where it is new; -1 if memory is
   short. */
static int64_t place_of(table *own, const byte *text, int64_t length) {
    uint64_t hash = hash_of(text, length), slot = hash & (uint64_t)(own->n_slots - 1);
    for (; own->slots[slot]; slot = (slot + 1) & (uint64_t)(own->n_slots - 1)) {
        int64_t place = own->slots[slot] - 1;
        const entry *known = &own->entries[place];
        if (known->hash == hash && known->length == length && is_same(known->text, text, length)) return place;
    }
    if (2 * (own->n_entries + 1) > own->n_slots) {
        if (doubled(own)) return -1;
        slot = hash & (uint64_t)(own->n_slots - 1);
        while (own->slots[slot]) slot = (slot + 1) & (uint64_t)(own->n_slots - 1);
    }
    own->entries[own->n_entries++] = (entry){text, length, hash};
    own->slots[slot] = (uint32_t)own->n_entries;
    return own->n_entries - 1;
}

/* Numbers the documents of a block of queries: the kept rows begins[file] to ends[file] of all files. The numbers of
   the rows stand one file after the other. */
int tiecore_number(const part *files, int64_t n_files, const int64_t *begins, const int64_t *ends, int32_t *number) {
    table own = {0};
    int64_t *at = malloc((size_t)n_files * sizeof(int64_t)), n_before = 0;
    int outcome = at ? DONE : DECLINED;
    if (at) memcpy(at, begins, (size_t)n_files * sizeof(int64_t));
    while (outcome == DONE) {
        int32_t query = INT32_MAX;
        for (int64_t file = 0; file < n_files; file++)
            if (at[file] < ends[file] && files[file].query[at[file]] < query) query = files[file].query[at[file]];
        if (query == INT32_MAX) break;
        outcome = cleared(&own, 1);
        int32_t *numbers = number; /* of the file */
        for (int64_t file = 0; file < n_files && outcome == DONE; file++) {
            const part *source = &files[file];
            for (; at[file] < ends[file] && source->query[at[file]] == query; at[file]++) {
                int64_t row = source->rows ? source->rows[at[file]] : at[file], begin = source->ends[row];
                int64_t place = place_of(&own, source->texts + begin, source->ends[row + 1] - begin);
                if (place < 0 || n_before + place > INT32_MAX) {
                    outcome = DECLINED;
                    break;
                }
                numbers[at[file] - begins[file]] = (int32_t)(n_before + place);
            }
            numbers += ends[file] - begins[file];
        }
        n_before += own.n_entries;
    }
    free(at);
    free(own.slots);
    free(own.entries);
    return outcome;
}

/* The shapes of lines, the numbers at known places of them, texts in another, and text without escapes of terminals.

Two lines have one shape where they are equal but for their digits. A log of millions of lines has some dozens of shapes,
so what takes long is asked once a shape, and this file does the rest: it says of which shape each line is, and reads
the numbers and times of lines whose places are known. Of some shapes the caller says that digits at certain places
matter: lines with other digits there are of other shapes, its parts. kernel.py has the same without a compiler.

Why it is exact
    Each line is masked: every digit becomes a 0, but for those that matter in a part of a shape. A line has a shape
    only if its masked bytes are equal to those of the shape, byte by byte; the hash says where to look, never what is
    equal.
    A number is a whole number below 2**53 times or over a power of ten up to 10**22. Both are doubles without rounding,
    so their product or quotient is rounded once, as IEEE 754 says, to the double nearest to what is written. Of a whole
    number up to 2**59, for programs print 17 digits, over 10**k, which is 5**k 2**k, the quotient by 5**k < 2**63 has
    55 bits or more, and its last one is set where a rest follows: rounded to 53 bits it is nearest, too. Any other
    spelling is called odd, and left to the caller.

Why a log cannot make it slow
    The hash has a secret key: NH of UMAC and VMAC (Black et al., "UMAC: Fast and Secure Message Authentication") over
    the masked bytes, the sum of products of 64 bits mod 2**128, then a multilinear hash of that and of the length
    (Lemire and Kaser, "Strongly universal string hashing is fast"). Of any two masked lines, chosen without the key, it
    is proven that they share a bucket of 2**b with a probability of about 2**-b, so a chain is short on average.

Only CPython's limited API, that of 3.11 (setup.cfg): one build serves all later versions. */

#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef __SIZEOF_INT128__
#error "products of 128 bits are needed; without this module the same results come from numpy"
#endif
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the first byte of a word is taken to be its lowest; without this module the same results come from numpy"
#endif

#define VERSION 3           /* that of kernel.py, which uses no other: one more with each change of what is called here */
#define ONES 0x0101010101010101ull
#define WORD 8
#define STEP 16             /* bytes that are masked and hashed at once */
#define NONE (-1)
#define MIX_WORDS 6         /* words of the key that mix the sum and the length */
#define FIRST_BUCKETS 1024
#define MOST_SHAPES (1 << 24)
#define LONGEST_LINE (1 << 20)
#define ESC 0x1b
#define THREE 3             /* bytes of a text that are looked up */
#define THREES (1 << 14)    /* buckets of them */

/* ---- The table of shapes */

typedef struct {
    int64_t at;          /* where its masked bytes begin in the store */
    uint32_t hash;
    int32_t length;
    int32_t next;        /* the next one of its bucket, or NONE */
    int32_t whole;       /* the shape of which it is a part, or NONE */
    int32_t parts;       /* how many parts it has */
    int32_t place_count;
    int32_t *places;     /* where in its lines digits matter, or NULL */
} Shape;

typedef struct {
    PyObject_HEAD
    Shape *shapes;
    int32_t shaped, shapes_room, most, most_parts;
    int32_t *buckets;         /* the first shape of each, or NONE */
    uint32_t bucket_count;    /* a power of two */
    uint8_t *store;           /* the masked bytes of all shapes */
    int64_t stored, store_room, most_bytes;
    uint8_t *masked;          /* those of the present line */
    uint64_t *key;
    int32_t longest;
    int busy;                 /* a pass runs without the lock of the interpreter */
} Table;

static inline uint64_t load(const uint8_t *bytes) { uint64_t word; memcpy(&word, bytes, WORD); return word; }
static inline void keep(uint8_t *bytes, uint64_t word) { memcpy(bytes, &word, WORD); }
static inline int is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

/* Eight bytes, each digit a 0: digits are 0x30 to 0x39, so the lower half of the byte is cleared. */
static inline uint64_t mask(uint64_t word) {
    uint64_t from_0 = word ^ (0x30 * ONES);   /* a digit is below 10 now: adding 0x76 does not reach the highest bit */
    uint64_t others = (((from_0 & (0x7f * ONES)) + 0x76 * ONES) | from_0) & (0x80 * ONES);
    uint64_t digits = (others ^ (0x80 * ONES)) >> 7;
    return word & ~((digits << 4) - digits);
}

/* At most WORD bytes from ``at``, zeros behind them, with no read at or past ``end``. */
static inline uint64_t load_some(const uint8_t *at, int64_t count, const uint8_t *end) {
    if (count <= 0) return 0;
    if (count >= WORD) return load(at);
    if (end - at >= WORD) return load(at) & ~(~0ull << (8 * count));
    uint64_t word = 0;
    memcpy(&word, at, (size_t)count);
    return word;
}

static inline uint32_t mixed(const uint64_t *key, unsigned __int128 sum, int64_t length) {
    uint64_t lower = (uint64_t)sum, upper = (uint64_t)(sum >> 64);
    return (uint32_t)((key[0] + key[1] * (uint32_t)lower + key[2] * (lower >> 32) + key[3] * (uint32_t)upper
                       + key[4] * (upper >> 32) + key[5] * (uint32_t)length) >> 32);
}

/* Masks a line into ``masked``, up to a full step, and hashes it. */
static inline uint32_t mask_and_hash(Table *table, const uint8_t *line, int64_t length, const uint8_t *end) {
    const uint64_t *key = table->key + MIX_WORDS;
    uint8_t *masked = table->masked;
    unsigned __int128 sum = 0;
    int64_t at = 0;
    for (; at + STEP <= length; at += STEP, key += 2) {
        uint64_t low = mask(load(line + at)), high = mask(load(line + at + WORD));
        keep(masked + at, low);
        keep(masked + at + WORD, high);
        sum += (unsigned __int128)(low + key[0]) * (high + key[1]);
    }
    if (at < length) {
        uint64_t low = mask(load_some(line + at, length - at, end));
        uint64_t high = mask(load_some(line + at + WORD, length - at - WORD, end));
        keep(masked + at, low);
        keep(masked + at + WORD, high);
        sum += (unsigned __int128)(low + key[0]) * (high + key[1]);
    }
    return mixed(table->key, sum, length);
}

/* The hash of the masked line as it is now. */
static uint32_t hash_masked(const Table *table, int64_t length) {
    const uint64_t *key = table->key + MIX_WORDS;
    unsigned __int128 sum = 0;
    for (int64_t at = 0; at < length; at += STEP, key += 2)
        sum += (unsigned __int128)(load(table->masked + at) + key[0]) * (load(table->masked + at + WORD) + key[1]);
    return mixed(table->key, sum, length);
}

/* Memory for one more shape of ``length`` bytes; 0 where there is none. */
static int make_room(Table *table, int64_t length) {
    if (table->shaped == table->shapes_room) {
        int32_t room = table->shapes_room * 2;
        Shape *shapes = realloc(table->shapes, (size_t)room * sizeof(Shape));
        if (!shapes) return 0;
        table->shapes = shapes;
        table->shapes_room = room;
    }
    if (table->stored + length > table->store_room) {
        int64_t room = table->store_room * 2 > table->stored + length ? table->store_room * 2 : table->stored + length;
        uint8_t *store = realloc(table->store, (size_t)room);
        if (!store) return 0;
        table->store = store;
        table->store_room = room;
    }
    return 1;
}

/* As many empty buckets as asked for, with all shapes in them; 0 where there is no memory. */
static int make_buckets(Table *table, uint32_t count) {
    int32_t *buckets = malloc((size_t)count * sizeof *buckets);
    if (!buckets) return 0;
    memset(buckets, 0xff, (size_t)count * sizeof *buckets);
    for (int32_t id = 0; id < table->shaped; id++) {
        int32_t *first = &buckets[table->shapes[id].hash & (count - 1)];
        table->shapes[id].next = *first;
        *first = id;
    }
    free(table->buckets);
    table->buckets = buckets;
    table->bucket_count = count;
    return 1;
}

/* The number of a new shape, of the masked line; NONE where the table is full, -2 where there is no memory. */
static int32_t new_shape(Table *table, uint32_t hash, int32_t length, int32_t whole) {
    if (table->shaped >= table->most || table->stored + length > table->most_bytes) return NONE;
    if (!make_room(table, length)) return -2;
    if ((uint32_t)table->shaped >= table->bucket_count && !make_buckets(table, table->bucket_count * 4)) return -2;
    int32_t id = table->shaped++, *first = &table->buckets[hash & (table->bucket_count - 1)];
    table->shapes[id] = (Shape){.at = table->stored, .hash = hash, .length = length, .next = *first, .whole = whole};
    *first = id;
    memcpy(table->store + table->stored, table->masked, (size_t)length);
    table->stored += length;
    return id;
}

/* The number of the shape, or of the part of one, that has the masked line; NONE where there is none yet. */
static inline int32_t find(const Table *table, uint32_t hash, int64_t length, int32_t whole) {
    int32_t id = table->buckets[hash & (table->bucket_count - 1)];
    for (; id != NONE; id = table->shapes[id].next) {
        const Shape *shape = &table->shapes[id];
        if (shape->hash == hash && shape->length == length && shape->whole == whole
            && !memcmp(table->store + shape->at, table->masked, (size_t)length)) return id;
    }
    return NONE;
}

/* The part of a shape that a line has by its digits that matter; as ``shape_of``. */
static int32_t part_of(Table *table, int32_t whole, const uint8_t *line) {
    const Shape *shape = &table->shapes[whole];
    int32_t length = shape->length;
    for (int32_t i = 0; i < shape->place_count; i++) table->masked[shape->places[i]] = line[shape->places[i]];
    uint32_t hash = hash_masked(table, length);
    int32_t id = find(table, hash, length, whole);
    if (id != NONE || shape->parts == table->most_parts) return id;
    id = new_shape(table, hash, length, whole);
    table->shapes[whole].parts += id >= 0;
    return id;
}

/* The number of the shape of a line; NONE where it has none, -2 where there is no memory. */
static inline int32_t shape_of(Table *table, const uint8_t *line, int64_t length, const uint8_t *end) {
    if (length > table->longest) return NONE;
    uint32_t hash = mask_and_hash(table, line, length, end);
    int32_t id = find(table, hash, length, NONE);
    if (id == NONE) return new_shape(table, hash, (int32_t)length, NONE);
    return table->shapes[id].places ? part_of(table, id, line) : id;
}

/* Reads lines from ``*at`` on, until the text or the room for ``*known`` of them ends; 0 where there is no memory. */
static int read_lines(Table *table, const uint8_t *text, int64_t size, int64_t *at, int32_t *ids, int64_t *starts,
                      int64_t *known, int64_t room) {
    while (*at < size && *known < room) {
        const uint8_t *line = text + *at, *newline = memchr(line, '\n', (size_t)(size - *at));
        int64_t length = newline ? newline - line : size - *at;
        int32_t id = shape_of(table, line, length, text + size);
        if (id == -2) return 0;
        ids[*known] = id;
        starts[(*known)++] = *at;
        *at += length + 1;
    }
    return 1;
}

/* ---- Fields */

static const double POWER_OF_10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#define MOST_OF_WHOLE 59    /* bits: ten times as much fits a word */
#define MOST_DECIMALS 27

static const uint64_t POWER_OF_5[MOST_DECIMALS + 1] = {
    1u, 5u, 25u, 125u, 625u, 3125u, 15625u, 78125u, 390625u, 1953125u, 9765625u, 48828125u, 244140625u, 1220703125u,
    6103515625ull, 30517578125ull, 152587890625ull, 762939453125ull, 3814697265625ull, 19073486328125ull,
    95367431640625ull, 476837158203125ull, 2384185791015625ull, 11920928955078125ull, 59604644775390625ull,
    298023223876953125ull, 1490116119384765625ull, 7450580596923828125ull};

/* A whole number of 54 to 59 bits over a power of ten: the double nearest to it. */
static inline double rounded_quotient(uint64_t whole, int64_t decimals) {
    unsigned __int128 scaled = (unsigned __int128)whole << 64, quotient = scaled / POWER_OF_5[decimals];
    quotient |= quotient * POWER_OF_5[decimals] != scaled;
    return (double)quotient * 0x1p-64 / (double)(1 << decimals);
}

/* Digits from ``*at`` to ``end`` at most, behind those of ``whole``; 0 where that would be too many. */
static inline int digits(const uint8_t **at, const uint8_t *end, uint64_t *whole) {
    for (; *at < end && is_digit(**at); (*at)++) {
        *whole = *whole * 10 + (uint64_t)(**at - '0');
        if (*whole >> MOST_OF_WHOLE) return 0;
    }
    return 1;
}

/* Adds to ``power`` what an exponent at ``*at`` says, if there is one; 0 where it has no digits, or too many. */
static inline int exponent(const uint8_t **at, const uint8_t *end, int64_t *power) {
    if (*at == end || (**at | 0x20) != 'e') return 1;
    int negative = ++*at < end && **at == '-';
    *at += *at < end && (**at == '-' || **at == '+');
    const uint8_t *first = *at;
    uint64_t size = 0;
    if (!digits(at, end, &size) || *at == first) return 0;
    *power += negative ? -(int64_t)size : (int64_t)size;
    return 1;
}

/* A sign or none, digits, a point and digits or none, and an exponent or none. 0 for any other spelling, and where it
   is not exact. */
static inline int read_number(const uint8_t *at, int64_t width, double *number) {
    const uint8_t *end = at + width;
    uint64_t whole = 0;
    int64_t power = 0;
    int negative = *at == '-';
    at += negative || *at == '+';
    const uint8_t *first = at;
    if (!digits(&at, end, &whole)) return 0;
    int64_t count = at - first;
    if (at < end && *at == '.') {
        first = ++at;
        if (!digits(&at, end, &whole)) return 0;
        power = first - at;
    }
    if ((!count && !power) || !exponent(&at, end, &power)) return 0;
    if (at < end) return 0;
    if (!(whole >> 53) && power >= -22 && power <= 22)
        *number = power < 0 ? (double)whole / POWER_OF_10[-power] : (double)whole * POWER_OF_10[power];
    else if (whole >> 53 && power >= -MOST_DECIMALS && power <= 0)
        *number = rounded_quotient(whole, -power);
    else
        return 0;
    if (negative) *number = -*number;
    return 1;
}

static inline int two(const uint8_t *at) { return (at[0] - '0') * 10 + (at[1] - '0'); }

/* Days from 1970-01-01 on, in the calendar of today (Hinnant, "chrono-compatible low-level date algorithms"). */
static inline int64_t days_since_1970(int year, int month, int day) {
    int64_t from_march = year - (month <= 2), era = from_march / 400, of_era = from_march - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719468;
}

static inline int is_date(int year, int month, int day) {
    static const int DAYS[13] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= DAYS[month] + (month == 2 && leap);
}

/* YYYY-MM-DD HH:MM:SS, with / for - and T for the blank, and a point or comma and up to 6 digits or none, in
   microseconds since 1970. 0 for any other spelling, and for what is no time of a calendar. */
static inline int read_stamp(const uint8_t *at, int64_t width, int64_t *stamp) {
    static const uint8_t DIGITS[14] = {0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18};
    if (width < 19 || width == 20 || width > 26) return 0;
    for (int i = 0; i < 14; i++) if (!is_digit(at[DIGITS[i]])) return 0;
    if ((at[4] != '-' && at[4] != '/') || (at[7] != '-' && at[7] != '/')) return 0;
    if ((at[10] != ' ' && at[10] != 'T') || at[13] != ':' || at[16] != ':') return 0;
    int year = two(at) * 100 + two(at + 2), month = two(at + 5), day = two(at + 8);
    int hour = two(at + 11), minute = two(at + 14), second = two(at + 17);
    if (!is_date(year, month, day) || hour > 23 || minute > 59 || second > 59) return 0;
    int64_t fraction = 0;
    if (width > 19 && at[19] != '.' && at[19] != ',') return 0;
    for (int i = 20; i < 26; i++) {
        if (i < width && !is_digit(at[i])) return 0;
        fraction = fraction * 10 + (i < width ? at[i] - '0' : 0);
    }
    int64_t hours = days_since_1970(year, month, day) * 24 + hour;
    *stamp = ((hours * 60 + minute) * 60 + second) * 1000000 + fraction;
    return 1;
}

typedef union { double number; int64_t stamp; } Cell;
_Static_assert(sizeof(Cell) == 8, "a cell is eight bytes");

enum { LEFT, NUMBER, STAMP, KINDS };

/* The field at ``place`` (offset and width) of the line that begins at ``at``. 0 where the caller has to read it. */
static inline int read_field(const uint8_t *at, const int32_t *place, uint8_t kind, Cell *cell) {
    int32_t width = place[1];
    if (kind == STAMP) {
        cell->stamp = INT64_MIN;
        return !width || read_stamp(at + place[0], width, &cell->stamp);
    }
    cell->number = Py_NAN;
    return kind == LEFT || !width || read_number(at + place[0], width, &cell->number);
}

/* What a call of ``fields`` is given; sizes in elements. */
typedef struct {
    const uint8_t *text; int64_t size;
    const int64_t *at; const int32_t *shape; int64_t rows;
    const int32_t *places; int64_t shapes;
    const uint8_t *kinds; int64_t fields;
    Cell *cells; uint8_t *odd;
} Fields;

/* How many cells are odd; NONE where a place is not inside the text. */
static int64_t read_fields(const Fields *of) {
    int64_t many = 0;
    for (int64_t row = 0; row < of->rows; row++) {
        int64_t at = of->at[row], shape = of->shape[row];
        if (shape < 0 || shape >= of->shapes || at < 0) return NONE;
        const int32_t *place = of->places + shape * of->fields * 2;
        for (int64_t field = 0; field < of->fields; field++, place += 2) {
            if (place[0] < 0 || place[1] < 0 || (int64_t)place[0] + place[1] > of->size - at) return NONE;
            if (read_field(of->text + at, place, of->kinds[field], &of->cells[field * of->rows + row])) continue;
            of->odd[field * of->rows + row] = 1;
            many++;
        }
    }
    return many;
}

/* ---- Python */

/* A contiguous buffer of elements of so many bytes, whose number goes to ``count``; 0 with an exception set. */
static int buffer_of(PyObject *given, Py_buffer *buffer, int flags, Py_ssize_t element, int64_t *count) {
    if (PyObject_GetBuffer(given, buffer, PyBUF_C_CONTIGUOUS | flags) < 0) return 0;
    if (buffer->len % element || ((uintptr_t)buffer->buf % (size_t)element)) {
        PyErr_Format(PyExc_ValueError, "a buffer of %zd bytes is not one of elements of %zd", buffer->len, element);
        PyBuffer_Release(buffer);
        return 0;
    }
    *count = buffer->len / element;
    return 1;
}

static void table_free(Table *table) {
    for (int32_t id = 0; id < table->shaped; id++) free(table->shapes[id].places);
    free(table->shapes);
    free(table->buckets);
    free(table->store);
    free(table->masked);
    free(table->key);
}

static int table_allocate(Table *table, const Py_buffer *key) {
    table->shapes_room = 256;
    table->store_room = 1 << 14;
    table->shapes = malloc((size_t)table->shapes_room * sizeof(Shape));
    table->store = malloc((size_t)table->store_room);
    table->masked = malloc((size_t)table->longest + STEP);
    table->key = malloc((size_t)key->len);
    if (!table->shapes || !table->store || !table->masked || !table->key || !make_buckets(table, FIRST_BUCKETS)) {
        PyErr_NoMemory();
        return 0;
    }
    memcpy(table->key, key->buf, (size_t)key->len);
    return 1;
}

static PyObject *table_new(PyTypeObject *type, PyObject *arguments, PyObject *names) {
    long long most, most_bytes, longest, most_parts;
    Py_buffer key;
    if (names && PyDict_Size(names)) return PyErr_Format(PyExc_TypeError, "Table takes no arguments by name");
    if (!PyArg_ParseTuple(arguments, "LLLLy*:Table", &most, &most_bytes, &longest, &most_parts, &key))
        return NULL;
    Table *table = NULL;
    int64_t needed = longest < 0 ? 0 : (MIX_WORDS + (longest + STEP - 1) / STEP * 2) * WORD;
    if (most < 0 || most > MOST_SHAPES || most_bytes < 0 || longest < 0 || longest > LONGEST_LINE || most_parts < 0
        || most_parts > MOST_SHAPES)
        PyErr_Format(PyExc_ValueError, "most is up to %d, longest up to %d", MOST_SHAPES, LONGEST_LINE);
    else if (key.len != needed)
        PyErr_Format(PyExc_ValueError, "the key has %zd bytes, not %lld", key.len, (long long)needed);
    else
        table = (Table *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (table) {
        table->most = (int32_t)most;
        table->most_bytes = most_bytes;
        table->longest = (int32_t)longest;
        table->most_parts = (int32_t)most_parts;
        if (!table_allocate(table, &key)) Py_CLEAR(table);
    }
    PyBuffer_Release(&key);
    return (PyObject *)table;
}

static void table_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    table_free((Table *)self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* lines(text, at, ids, starts, known) -> (at, known): see _shapes.pyi */
static PyObject *table_lines(PyObject *self, PyObject *arguments) {
    Table *table = (Table *)self;
    PyObject *given_text, *given_ids, *given_starts, *result = NULL;
    Py_buffer text, ids, starts;
    int64_t size, room, starts_room;
    long long from, before;
    if (!PyArg_ParseTuple(arguments, "OLOOL:lines", &given_text, &from, &given_ids, &given_starts, &before)) return NULL;
    if (!buffer_of(given_text, &text, PyBUF_SIMPLE, 1, &size)) return NULL;
    if (!buffer_of(given_ids, &ids, PyBUF_WRITABLE, sizeof(int32_t), &room)) goto text;
    if (!buffer_of(given_starts, &starts, PyBUF_WRITABLE, sizeof(int64_t), &starts_room)) goto ids;
    int64_t at = from, known = before;
    if (room != starts_room || known < 0 || known > room || at < 0 || at > size) {
        PyErr_SetString(PyExc_ValueError, "the ids, the starts and what is known of them do not fit");
    } else if (size && ((const uint8_t *)text.buf)[size - 1] != '\n') {
        PyErr_SetString(PyExc_ValueError, "the last line has no end");
    } else if (table->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is reading lines into this table");
    } else {
        int enough;
        table->busy = 1;
        Py_BEGIN_ALLOW_THREADS
        enough = read_lines(table, text.buf, size, &at, ids.buf, starts.buf, &known, room);
        Py_END_ALLOW_THREADS
        table->busy = 0;
        result = enough ? Py_BuildValue("LL", (long long)at, (long long)known) : PyErr_NoMemory();
    }
    PyBuffer_Release(&starts);
ids:
    PyBuffer_Release(&ids);
text:
    PyBuffer_Release(&text);
    return result;
}

/* tell(shape, places): see _shapes.pyi */
static PyObject *table_tell(PyObject *self, PyObject *arguments) {
    Table *table = (Table *)self;
    PyObject *given_places;
    Py_buffer places;
    int64_t count;
    long long id;
    if (!PyArg_ParseTuple(arguments, "LO:tell", &id, &given_places)) return NULL;
    if (!buffer_of(given_places, &places, PyBUF_SIMPLE, sizeof(int32_t), &count)) return NULL;
    const int32_t *at = places.buf;
    int fits = !table->busy && id >= 0 && id < table->shaped && count > 0;
    fits = fits && table->shapes[id].whole == NONE && !table->shapes[id].places;
    for (int64_t i = 0; fits && i < count; i++) fits = at[i] >= 0 && at[i] < table->shapes[id].length;
    int32_t *kept = fits ? malloc((size_t)count * sizeof *kept) : NULL;
    if (kept) {
        memcpy(kept, at, (size_t)count * sizeof *kept);
        table->shapes[id].places = kept;
        table->shapes[id].place_count = (int32_t)count;
    }
    PyBuffer_Release(&places);
    if (kept) Py_RETURN_NONE;
    if (fits) return PyErr_NoMemory();
    return PyErr_Format(PyExc_ValueError, "shape %lld has no such places, or is told apart already", id);
}

static Py_ssize_t table_length(PyObject *self) { return ((Table *)self)->shaped; }

/* fields(text, at, shape, places, kinds, cells, odd) -> how many cells are odd */
static PyObject *shapes_fields(PyObject *module, PyObject *arguments) {
    static const Py_ssize_t ELEMENTS[7] = {1, 8, 4, 4, 1, 8, 1};
    (void)module;
    PyObject *given[7], *result = NULL;
    Py_buffer buffers[7];
    int64_t counts[7], many = NONE;
    int held = 0;
    if (!PyArg_ParseTuple(arguments, "OOOOOOO:fields", &given[0], &given[1], &given[2], &given[3], &given[4], &given[5],
                          &given[6])) return NULL;
    for (; held < 7; held++) {
        int flags = held < 5 ? PyBUF_SIMPLE : PyBUF_WRITABLE;
        if (!buffer_of(given[held], &buffers[held], flags, ELEMENTS[held], &counts[held])) goto done;
    }
    int64_t rows = counts[1], fields = counts[4], a_shape = fields * 2;
    const uint8_t *kinds = buffers[4].buf;
    int fits = counts[2] == rows && counts[5] == rows * fields && counts[6] == rows * fields;
    fits = fits && (a_shape ? counts[3] % a_shape == 0 : counts[3] == 0);
    for (int64_t field = 0; fits && field < fields; field++) fits = kinds[field] < KINDS;
    if (fits && a_shape) {
        Fields of = {buffers[0].buf, counts[0], buffers[1].buf, buffers[2].buf, rows, buffers[3].buf,
                     counts[3] / a_shape, kinds, fields, buffers[5].buf, buffers[6].buf};
        Py_BEGIN_ALLOW_THREADS
        many = read_fields(&of);
        Py_END_ALLOW_THREADS
    } else if (fits) {
        many = 0;
    }
    if (many == NONE) PyErr_SetString(PyExc_ValueError, "the arrays do not fit, or a place is not inside the text");
    else result = PyLong_FromLongLong(many);
done:
    while (held--) PyBuffer_Release(&buffers[held]);
    return result;
}

/* ---- Escapes of terminals */

/* How many bytes the escape at ``at``, which is ESC, has; 0 where none begins there. See ESCAPE in source.py. */
static int64_t escape_at(const uint8_t *at, const uint8_t *end) {
    if (end - at < 2) return 0;
    const uint8_t *byte = at + 2;
    if (at[1] == '[') {
        while (byte < end && *byte >= '0' && *byte <= '?') byte++;
        while (byte < end && *byte >= ' ' && *byte <= '/') byte++;
        return byte < end && *byte >= '@' && *byte <= '~' ? byte + 1 - at : 0;
    }
    if (at[1] == ']') {
        while (byte < end && *byte != '\a' && *byte != ESC && *byte != '\n') byte++;
        if (byte < end && *byte == '\a') return byte + 1 - at;
        if (end - byte > 1 && *byte == ESC && byte[1] == '\\') return byte + 2 - at;
    }
    return at[1] >= '@' && at[1] <= '_' ? 2 : 0;
}

/* Copies a text without its escapes to ``to``, which has room for all of it, and says how many bytes are left. */
static int64_t copy_without_escapes(const uint8_t *from, const uint8_t *end, uint8_t *to) {
    int64_t left = 0;
    while (from < end) {
        const uint8_t *next = memchr(from, ESC, (size_t)(end - from));
        const uint8_t *stop = next ? next : end;
        int64_t escape = next ? escape_at(next, end) : 0;
        if (next && !escape) stop++;
        memcpy(to + left, from, (size_t)(stop - from));
        left += stop - from;
        from = stop + escape;
    }
    return left;
}

/* without_escapes(text) -> the rest of it */
static PyObject *shapes_without_escapes(PyObject *module, PyObject *given) {
    Py_buffer text;
    int64_t size;
    (void)module;
    if (!buffer_of(given, &text, PyBUF_SIMPLE, 1, &size)) return NULL;
    const uint8_t *from = text.buf;
    PyObject *rest = NULL;
    uint8_t *room = malloc((size_t)size + 1);
    if (room) {
        int64_t left = copy_without_escapes(from, from + size, room);
        rest = PyBytes_FromStringAndSize((const char *)room, (Py_ssize_t)left);
        free(room);
    } else {
        PyErr_NoMemory();
    }
    PyBuffer_Release(&text);
    return rest;
}

/* ---- Texts in another

Of each text three bytes, the last of its first eight, stand in a table, which is asked at each place of the other; where
they are met, the whole text is compared. */

static inline uint32_t three_at(const uint8_t *at) {
    uint32_t three = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
    return three * 2654435761u >> 18;
}

static inline int64_t looked_up(int64_t length) { return length < WORD ? length : WORD; }

/* Says of each text, which ``starts`` among all of them, whether it stands ``in`` another; 0 without memory. */
static int find_texts(const uint8_t *in, int64_t size, const uint8_t *texts, const int32_t *starts, int64_t count,
                      uint8_t *found) {
    int16_t *first = malloc((size_t)(THREES + count) * sizeof *first), *next = first + THREES;
    if (!first) return 0;
    memset(first, 0xff, THREES * sizeof *first);
    memset(found, 0, (size_t)count);
    for (int16_t text = 0; text < count; text++) {
        int16_t *bucket = &first[three_at(texts + starts[text] + looked_up(starts[text + 1] - starts[text]) - THREE)];
        next[text] = *bucket;
        *bucket = text;
    }
    for (int64_t at = 0; at + THREE <= size; at++) {
        for (int16_t text = first[three_at(in + at)]; text != NONE; text = next[text]) {
            int64_t length = starts[text + 1] - starts[text], start = at + THREE - looked_up(length);
            if (!found[text] && start >= 0 && length <= size - start)
                found[text] = !memcmp(in + start, texts + starts[text], (size_t)length);
        }
    }
    free(first);
    return 1;
}

/* texts_in(text, texts, starts, found): see _shapes.pyi */
static PyObject *shapes_texts_in(PyObject *module, PyObject *arguments) {
    static const Py_ssize_t ELEMENTS[4] = {1, 1, 4, 1};
    (void)module;
    PyObject *given[4], *result = NULL;
    Py_buffer buffers[4];
    int64_t counts[4];
    int held = 0;
    if (!PyArg_ParseTuple(arguments, "OOOO:texts_in", &given[0], &given[1], &given[2], &given[3])) return NULL;
    for (; held < 4; held++)
        if (!buffer_of(given[held], &buffers[held], held < 3 ? PyBUF_SIMPLE : PyBUF_WRITABLE, ELEMENTS[held], &counts[held]))
            goto done;
    const int32_t *starts = buffers[2].buf;
    int64_t count = counts[3];
    int fits = counts[2] == count + 1 && count < INT16_MAX && starts[0] == 0 && starts[count] == counts[1];
    for (int64_t text = 0; fits && text < count; text++) fits = starts[text + 1] - (int64_t)starts[text] >= THREE;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "the texts and their starts do not fit, or one has less than three bytes");
        goto done;
    }
    int enough;
    Py_BEGIN_ALLOW_THREADS
    enough = find_texts(buffers[0].buf, counts[0], buffers[1].buf, starts, count, buffers[3].buf);
    Py_END_ALLOW_THREADS
    result = enough ? Py_NewRef(Py_None) : PyErr_NoMemory();
done:
    while (held--) PyBuffer_Release(&buffers[held]);
    return result;
}

static PyMethodDef TABLE_METHODS[] = {
    {"lines", table_lines, METH_VARARGS, NULL},
    {"tell", table_tell, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot TABLE_SLOTS[] = {
    {Py_tp_new, table_new},         {Py_tp_dealloc, table_dealloc},     {Py_mp_length, table_length},
    {Py_tp_methods, TABLE_METHODS}, {0, NULL},
};
static PyType_Spec TABLE = {"parsers.scanning._shapes.Table", sizeof(Table), 0, Py_TPFLAGS_DEFAULT, TABLE_SLOTS};

static int module_exec(PyObject *module) {
    PyObject *table = PyType_FromSpec(&TABLE);
    if (!table) return -1;
    int added = PyModule_AddObjectRef(module, "Table", table);
    Py_DECREF(table);
    return added ? added : PyModule_AddIntConstant(module, "VERSION", VERSION);
}

static PyMethodDef METHODS[] = {
    {"fields", shapes_fields, METH_VARARGS, NULL},
    {"texts_in", shapes_texts_in, METH_VARARGS, NULL},
    {"without_escapes", shapes_without_escapes, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, module_exec}, {0, NULL}};
static PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, .m_name = "_shapes", .m_methods = METHODS, .m_slots = SLOTS};

PyMODINIT_FUNC PyInit__shapes(void) { return PyModuleDef_Init(&MODULE); }

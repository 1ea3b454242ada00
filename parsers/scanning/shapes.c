/* The shapes of lines, the numbers at known places of them, texts in another, and text without escapes.

Two lines have one shape where they are equal but for their digits. A log of millions of lines has some dozens of shapes,
so what takes long is asked once a shape, and this file does the rest: it says of which shape each line is, and reads
the numbers and times of lines whose places are known. All memory is numpy's: kernel.py hands arrays over that are large
enough, and has the same without a compiler.

Why shapes are right, and why a log cannot make them slow
    A masked line, each digit of it a 0, is known by two sums of 128 bits and its length. The sums are NH of UMAC (Black
    et al., "UMAC: Fast and Secure Message Authentication") by a secret key, and the second has the same key, two words
    further: of two different lines, chosen without the key, both sums are equal with a probability of 2**-128. Where
    digits of a shape matter, each adds its multiple of another word of the key. A multilinear hash of the first sum
    (Lemire and Kaser, "Strongly universal string hashing is fast") says where to look, so that a chain is short.
Why numbers are exact
    A whole number below 2**53, and a power of ten up to 10**22, are doubles without rounding: their product or quotient
    is the double nearest to what is written. Of a whole number up to 2**59, for programs print 17 digits, over 10**k,
    which is 5**k 2**k, the quotient by 5**k has 55 bits or more, and its last one is set where a rest follows: rounded
    to 53 bits it is nearest, too. Any other spelling is odd, and left to the caller. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#if !defined(__SIZEOF_INT128__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "products of 128 bits are needed, and the lowest byte first; without this library the same comes from numpy"
#endif

#define STEP 16 /* bytes that are masked and hashed at once */
#define NONE (-1)
#define MIX_WORDS 5 /* words of the key that mix a sum */

typedef unsigned __int128 Sum;
typedef struct { Sum one, two; int64_t length, part_of; } Line;
/* ``parts``: how many each shape has. ``told``: where in ``places`` the count of those stands whose digits matter, and
   they behind it; 0 for none. ``buckets``: a power of two of shapes, each after the first that hashes there. */
typedef struct {
    const uint64_t *key, *digit_key;
    int32_t *buckets, *parts, *told, *places;
    Line *lines;
    int64_t bucket_count, most, longest, most_parts, known, at;
} Table;

const int32_t version_9 = 9; /* by this name kernel.py knows it: one more with each change of what is called here */

typedef uint8_t Bytes __attribute__((vector_size(STEP)));
typedef uint64_t Words __attribute__((vector_size(STEP)));

static int is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

static inline void add(Line *line, const uint8_t *at, const uint64_t *key) {
    Bytes bytes;
    memcpy(&bytes, at, STEP);
    Words words = (Words)(bytes - ((bytes - '0' < 10) & (bytes - '0'))); /* each digit is a 0 now */
    line->one += (Sum)(words[0] + key[0]) * (words[1] + key[1]);
    line->two += (Sum)(words[0] + key[2]) * (words[1] + key[3]);
}

static inline Line masked(const Table *table, const uint8_t *line, int64_t length) {
    const uint64_t *key = table->key + MIX_WORDS;
    const uint8_t *end = line + length;
    uint8_t last[STEP] = {0};
    Line found = {0, 0, length, NONE};
    for (; end - line >= STEP; line += STEP, key += 2) add(&found, line, key);
    if (line < end) add(&found, memcpy(last, line, (size_t)(end - line)), key);
    return found;
}

/* The shape of a line, which may be a new one; NONE where there is no room for it. */
static int32_t shape_of(Table *table, const Line *line) {
    const uint64_t *key = table->key, low = (uint64_t)line->one, high = (uint64_t)(line->one >> 64);
    uint64_t mixed = key[0] + key[1] * (uint32_t)low + key[2] * (low >> 32) + key[3] * (uint32_t)high + key[4] * (high >> 32);
    int64_t last = table->bucket_count - 1, bucket = (int64_t)(mixed >> 32) & last;
    for (int32_t id; (id = table->buckets[bucket]) != NONE; bucket = (bucket + 1) & last) {
        const Line *known = &table->lines[id];
        if (known->one == line->one && known->two == line->two && known->length == line->length
            && known->part_of == line->part_of) return id;
    }
    if (table->known == table->most) return NONE;
    if (line->part_of != NONE && table->parts[line->part_of]++ >= table->most_parts) return NONE;
    table->lines[table->known] = *line;
    return table->buckets[bucket] = (int32_t)table->known++;
}

/* The shape of each line of a text that ends with a newline, NONE where it has none, and where it begins, from ``at`` in the table on,
   until the text or the room for lines ends; how many there are. */
int64_t lines(Table *table, const uint8_t *text, int64_t size, int64_t *ids, int64_t *starts, int64_t room) {
    int64_t row = 0;
    for (int64_t length; table->at < size && row < room; table->at += length + 1, row++) {
        const uint8_t *line = text + table->at;
        length = (const uint8_t *)memchr(line, '\n', (size_t)(size - table->at)) - line;
        starts[row] = table->at;
        ids[row] = NONE;
        if (length > table->longest) continue;
        Line found = masked(table, line, length);
        ids[row] = found.part_of = shape_of(table, &found);
        if (found.part_of == NONE || !table->told[found.part_of]) continue;
        const int32_t *places = table->places + table->told[found.part_of];
        for (int32_t i = 0; i < places[0]; i++) {
            uint64_t digit = line[places[i + 1]] - (uint64_t)'0';
            found.one += (Sum)table->digit_key[i] * digit;
            found.two += (Sum)table->digit_key[i + 1] * digit;
        }
        ids[row] = shape_of(table, &found);
    }
    return row;
}

/* Digits from ``*at`` to ``end`` at most, behind those of ``whole``; 0 where these are over 59 bits: ten times as much
   fits a word. */
static int digits(const uint8_t **at, const uint8_t *end, uint64_t *whole) {
    for (; *at < end && is_digit(**at); (*at)++) {
        *whole = *whole * 10 + (uint64_t)(**at - '0');
        if (*whole >> 59) return 0;
    }
    return 1;
}

static const double POWER_OF_10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* A sign or none, digits, a point and digits or none, and an exponent or none; 0 for what is odd. */
static int read_number(const uint8_t *at, int64_t width, double *number) {
    const uint8_t *end = at + width, *first, *point;
    uint64_t whole = 0, power_of_5 = 1, size = 0;
    int is_negative = *at == '-';
    first = at += is_negative || *at == '+';
    if (!digits(&at, end, &whole)) return 0;
    point = at += at < end && *at == '.';
    if (point > first && point[-1] == '.' && !digits(&at, end, &whole)) return 0;
    int64_t power = point - at;
    if (at - first == (point > first && point[-1] == '.')) return 0;
    if (at < end && (*at | 0x20) == 'e') {
        int is_below_1 = ++at < end && *at == '-';
        first = at += at < end && (*at == '-' || *at == '+');
        if (!digits(&at, end, &size) || at == first) return 0;
        power += is_below_1 ? -(int64_t)size : (int64_t)size;
    }
    if (at < end || power > 22 || power < (whole >> 53 ? -27 : -22) || (whole >> 53 && power > 0)) return 0;
    if (whole >> 53) {
        for (int64_t i = power; i < 0; i++) power_of_5 *= 5;
        Sum scaled = (Sum)whole << 64, quotient = scaled / power_of_5;
        quotient |= quotient * power_of_5 != scaled;
        *number = (double)quotient * 0x1p-64 / (double)(1 << -power);
    } else *number = power < 0 ? (double)whole / POWER_OF_10[-power] : (double)whole * POWER_OF_10[power];
    if (is_negative) *number = -*number;
    return 1;
}

/* Up to eight digits before ``end``, and eight bytes of the text, taken at once; 0 where one is none. */
static inline int eight(const uint8_t *end, int64_t count, double *number) {
    const uint64_t others = 64 - 8 * (uint64_t)count;
    uint64_t bytes;
    memcpy(&bytes, end - 8, 8);
    bytes = count ? (bytes ^ 0x3030303030303030u) >> others << others : 0;
    if ((bytes | (bytes + 0x7676767676767676u)) & 0x8080808080808080u) return 0;
    bytes = bytes * (1 + (10u << 8)) >> 8 & 0x00FF00FF00FF00FFu;
    bytes = bytes * (1 + (100u << 16)) >> 16 & 0x0000FFFF0000FFFFu;
    *number = (double)(bytes * (1 + (10000ull << 32)) >> 32);
    return 1;
}

/* A number of up to 15 digits, of which as many stand before its point as in the line of its shape before it: ``point``
   holds one more, 0 until it is known. 0 for any other, which ``read_number`` may read. */
static inline int read_plain(const uint8_t *at, int64_t width, uint8_t *point, double *number) {
    if (!*point) {
        const uint8_t *found = memchr(at, '.', (size_t)width);
        int64_t before = found ? found - at : width;
        *point = (uint8_t)(1 + (before < 9 ? before : 9));
    }
    int64_t before = *point - 1, after = width - before - (before < width);
    double whole, part;
    if (before > 8 || after > 8 || before + after > 15 || !(before + after) || (before < width && at[before] != '.')) return 0;
    if (!eight(at + before, before, &whole) || !eight(at + width, after, &part)) return 0;
    *number = (whole * POWER_OF_10[after] + part) / POWER_OF_10[after];
    return 1;
}

typedef struct { const uint8_t *text; int64_t days; } Date; /* the last one, as most lines have that of the line before */

/* YYYY-MM-DD HH:MM:SS, with / for - and T for the blank, and a point or comma and up to 6 digits or none, in
   microseconds since 1970 (days by Hinnant, "chrono-compatible low-level date algorithms"); 0 for what is odd. */
static int read_stamp(const uint8_t *at, int64_t width, Date *date, int64_t *stamp) {
    static const char FORM[] = "0000-00-00 00:00:00.000000", OTHER[] = "0000/00/00T00:00:00,000000";
    static const int MONTHS[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}, AT[] = {0, 2, 5, 8, 11, 14, 17};
    int part[7];
    int64_t fraction = 0;
    if (width < 19 || width == 20 || width > 26) return 0;
    int is_known = date->text && !memcmp(at, date->text, 11);
    for (int i = is_known ? 11 : 0; i < width; i++)
        if (FORM[i] == '0' ? !is_digit(at[i]) : at[i] != FORM[i] && at[i] != OTHER[i]) return 0;
    for (int i = 0; i < 7; i++) part[i] = (at[AT[i]] - '0') * 10 + at[AT[i] + 1] - '0';
    for (int i = 20; i < 26; i++) fraction = fraction * 10 + (i < width ? at[i] - '0' : 0);
    if (!is_known) {
        int year = part[0] * 100 + part[1], month = part[2], day = part[3];
        int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        if (!year || !month || month > 12 || !day || day > MONTHS[month] + (month == 2 && leap)) return 0;
        int64_t from_march = year - (month <= 2), era = from_march / 400, of_era = from_march % 400;
        int64_t days = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1 + of_era * 365 + of_era / 4 - of_era / 100;
        *date = (Date){at, era * 146097 + days - 719468};
    }
    if (part[4] > 23 || part[5] > 59 || part[6] > 59) return 0;
    *stamp = (((date->days * 24 + part[4]) * 60 + part[5]) * 60 + part[6]) * 1000000 + fraction;
    return 1;
}

/* The fields of lines; see kernel.py. How many cells are odd; NONE where a place is not inside the text. ``points``: one
   0 a field of each shape. */
int64_t fields(const uint8_t *text, int64_t size, const int64_t *at, const int32_t *shape, int64_t rows,
               const int32_t *spans, int64_t shapes, const uint8_t *kinds, int64_t count, uint8_t *points, int64_t *cells,
               uint8_t *odd) {
    int64_t many = 0;
    Date date = {NULL, 0};
    for (int64_t row = 0; row < rows; row++) {
        if (shape[row] < 0 || shape[row] >= shapes || at[row] < 0 || at[row] > size) return NONE;
        const int32_t *span = spans + shape[row] * count * 2;
        for (int64_t field = 0; field < count; field++, span += 2) {
            const int64_t offset = at[row] + span[0], width = span[1];
            if (span[0] < 0 || width < 0 || offset + width > size) return NONE;
            const uint8_t *first = text + offset;
            double number = NAN;
            int64_t cell = INT64_MIN;
            int is_read = !kinds[field] || !width;
            if (kinds[field] == 3) {
                cell = 0;
                if ((is_read = width <= 8)) memcpy(&cell, first, (size_t)width);
            } else if (kinds[field] == 2) {
                is_read = is_read || read_stamp(first, width, &date, &cell);
            } else {
                uint8_t *point = points + shape[row] * count + field;
                is_read = is_read || (offset >= 8 && read_plain(first, width, point, &number)) || read_number(first, width, &number);
                memcpy(&cell, &number, 8);
            }
            cells[field * rows + row] = cell;
            many += odd[field * rows + row] = !is_read;
        }
    }
    return many;
}

static uint32_t three_at(const uint8_t *at) {
    return ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16) * 2654435761u >> 18;
}

/* Says of each text, of three bytes at least, which ``starts`` among all of them, whether it stands ``in`` another. Three
   bytes of it, the last of its first eight, stand in a bucket, which is asked at each place of the other: -1 or the first
   of its texts, each of which has its next behind all buckets. */
void texts_in(const uint8_t *in, int64_t size, const uint8_t *texts, const int32_t *starts, int64_t count,
              int16_t *buckets, uint8_t *found) {
    int16_t *next = buckets + (1 << 14);
    for (int16_t text = 0; text < count; text++) {
        int64_t length = starts[text + 1] - starts[text];
        int16_t *bucket = &buckets[three_at(texts + starts[text] + (length < 8 ? length : 8) - 3)];
        next[text] = *bucket;
        *bucket = text;
    }
    for (int64_t at = 0; at + 3 <= size; at++) {
        for (int16_t text = buckets[three_at(in + at)]; text != NONE; text = next[text]) {
            int64_t length = starts[text + 1] - starts[text], start = at + 3 - (length < 8 ? length : 8);
            if (!found[text] && start >= 0 && length <= size - start)
                found[text] = !memcmp(in + start, texts + starts[text], (size_t)length);
        }
    }
}

/* How many bytes the escape at ``at``, which is ESC, has; 0 where none begins there. See ESCAPE in source.py. */
static int64_t escape_at(const uint8_t *at, const uint8_t *end) {
    const uint8_t *byte = at + 2;
    if (end - at < 2) return 0;
    if (at[1] == '[') {
        while (byte < end && *byte >= '0' && *byte <= '?') byte++;
        while (byte < end && *byte >= ' ' && *byte <= '/') byte++;
        return byte < end && *byte >= '@' && *byte <= '~' ? byte + 1 - at : 0;
    }
    if (at[1] == ']') {
        while (byte < end && *byte != '\a' && *byte != '\x1b' && *byte != '\n') byte++;
        if (byte < end && *byte == '\a') return byte + 1 - at;
        if (end - byte > 1 && *byte == '\x1b' && byte[1] == '\\') return byte + 2 - at;
    }
    return at[1] >= '@' && at[1] <= '_' ? 2 : 0;
}

/* Copies a text without its escapes to ``to``, which has room for all of it, and says how many bytes are left. */
int64_t without_escapes(const uint8_t *from, int64_t size, uint8_t *to) {
    const uint8_t *end = from + size;
    int64_t left = 0;
    while (from < end) {
        const uint8_t *next = memchr(from, '\x1b', (size_t)(end - from)), *stop = next ? next : end;
        int64_t escape = next ? escape_at(next, end) : 0;
        stop += next && !escape;
        memcpy(to + left, from, (size_t)(stop - from));
        left += stop - from;
        from = stop + escape;
    }
    return left;
}

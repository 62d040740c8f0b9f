// Runs a fuzz target over every file of a corpus folder, without libFuzzer.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    size_t len = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(len > 0 ? len : 1); // exactly as long: a read past the end is seen
    if (bytes == NULL || fread(bytes, 1, len, file) != len) {
        perror(path);
        exit(1);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, len);
    free(bytes);
    return 1;
}

int main(int argc, char **argv)
{
    char path[4096];
    int count = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (folder == NULL) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER (a folder that exists)\n", argv[0]);
        return 2;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
        count += replay(path);
    }
    closedir(folder);
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}

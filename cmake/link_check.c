// The program that links one whole room with only the rooms it names.
int main(void)
{
    return 0;
}

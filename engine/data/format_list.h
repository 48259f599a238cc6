/* X(name) per data format, sorted; the class object is data_NAME. Included more than once. */
X(csv)
X(idx)
X(jsonl)
X(synthetic)
X(tsv)

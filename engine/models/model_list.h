/* Every model class, sorted: X(name) stands for `model_name` in name.c. No include guard. */
X(convnet)
X(mlp)

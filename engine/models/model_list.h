/* Every model class, sorted: X(name) stands for `model_name` in name.c. No include guard. */
X(bert)
X(convnet)
X(distilbert)
X(mlp)

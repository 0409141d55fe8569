/** The path alias of tsconfig.json, for the import rules: their tool reads it through a compiler older than ours. */
module.exports = { resolve: { alias: { '@': __dirname } } }

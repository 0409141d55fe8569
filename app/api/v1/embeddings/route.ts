import { EmbeddingsRequest } from '@/lib/contract/embeddings.schema'
import { quoteEmbeddings, renderEmbeddings, runEmbeddings } from '@/lib/endpoints/embeddings/embeddings'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(EmbeddingsRequest),
    price: quoteEmbeddings, // resolves the model, checks lengths and dimensions, bounds the cost
    run: runEmbeddings, // vectors, part by part; the meter reads the tokens
    respond: renderEmbeddings, // numbers, or base64
  }),
})

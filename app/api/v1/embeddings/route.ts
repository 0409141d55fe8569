import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { quoteEmbeddings } from '@/lib/embeddings/quote'
import { renderEmbeddings } from '@/lib/embeddings/render'
import { runEmbeddings } from '@/lib/embeddings/run'
import { EmbeddingsRequest } from '@/lib/embeddings/schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(EmbeddingsRequest),
    price: quoteEmbeddings, // resolves the model, checks lengths and dimensions, bounds the cost
    run: runEmbeddings, // vectors, part by part; the meter reads the tokens
    respond: renderEmbeddings, // numbers, or base64
  }),
})

import { GenerateRequest } from '@/lib/contract/images.schema'
import { quoteGenerate, renderGenerate, runGenerate } from '@/lib/endpoints/images/generate'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(GenerateRequest),
    price: quoteGenerate, // resolves the model, checks size, steps and quality
    run: runGenerate, // pictures, each in the format that was asked for
    respond: renderGenerate, // JSON with base64, or one file
  }),
})

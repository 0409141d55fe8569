import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { quoteGenerate } from '@/lib/images/generate-quote'
import { renderGenerate } from '@/lib/images/generate-render'
import { runGenerate } from '@/lib/images/generate-run'
import { GenerateRequest } from '@/lib/images/schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(GenerateRequest),
    price: quoteGenerate, // resolves the model, checks size, steps and quality
    run: runGenerate, // pictures, each in the format that was asked for
    respond: renderGenerate, // JSON with base64, or one file
  }),
})

import { GenerationsRequest } from '@/lib/contract/images.schema'
import { quoteGenerations, renderGenerations, runGenerate } from '@/lib/endpoints/images/generate'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(GenerationsRequest),
    price: quoteGenerations, // resolves the model, brings the size into its terms
    run: runGenerate, // one picture
    respond: renderGenerations, // base64, or a data URL
  }),
})

import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { renderGenerations } from '@/lib/images/generate-render'
import { runGenerate } from '@/lib/images/generate-run'
import { quoteGenerations } from '@/lib/images/generations-quote'
import { GenerationsRequest } from '@/lib/images/schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(GenerationsRequest),
    price: quoteGenerations, // resolves the model, brings the size into its terms
    run: runGenerate, // one picture
    respond: renderGenerations, // base64, or a data URL
  }),
})

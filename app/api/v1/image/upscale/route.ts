import { UpscaleForm, UpscaleRequest } from '@/lib/contract/images.schema'
import { jsonOrForm, renderPng } from '@/lib/endpoints/images/image-io'
import { quoteUpscale, runUpscale } from '@/lib/endpoints/images/upscale'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: jsonOrForm({ body: UpscaleRequest, fields: UpscaleForm, part: 'image', maxFiles: 1 }),
    price: quoteUpscale, // resolves the model; the price of the factor
    run: runUpscale, // opens the picture, has it enlarged within the pixels that are allowed
    respond: renderPng,
  }),
})

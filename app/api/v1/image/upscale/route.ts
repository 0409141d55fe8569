import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { jsonOrForm } from '@/lib/images/body'
import { UpscaleForm, UpscaleRequest } from '@/lib/images/edit-schema'
import { quoteUpscale, renderPng, runUpscale } from '@/lib/images/upscale'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: jsonOrForm({ body: UpscaleRequest, fields: UpscaleForm, part: 'image', maxFiles: 1 }),
    price: quoteUpscale, // resolves the model; the price of the factor
    run: runUpscale, // opens the picture, has it enlarged within the pixels that are allowed
    respond: renderPng,
  }),
})

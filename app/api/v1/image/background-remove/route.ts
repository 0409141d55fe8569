import { BackgroundForm, BackgroundRequest } from '@/lib/contract/images.schema'
import { jsonOrForm, renderPng } from '@/lib/endpoints/images/image-io'
import { quoteBackground, runBackground } from '@/lib/endpoints/images/remove-background'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: jsonOrForm({
      body: BackgroundRequest,
      fields: BackgroundForm,
      part: 'image',
      maxFiles: 1,
      isFileOptional: true,
    }),
    price: quoteBackground, // finds the model that removes backgrounds
    run: runBackground,
    respond: renderPng,
  }),
})

import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { BackgroundForm, quoteBackground, runBackground } from '@/lib/images/background'
import { jsonOrForm } from '@/lib/images/body'
import { BackgroundRequest } from '@/lib/images/edit-schema'
import { renderPng } from '@/lib/images/upscale'

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

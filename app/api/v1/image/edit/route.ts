import { EditForm, EditRequest } from '@/lib/contract/images.schema'
import { quoteEdit, renderEdit, runEdit } from '@/lib/endpoints/images/edit'
import { jsonOrForm } from '@/lib/endpoints/images/image-io'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: jsonOrForm({ body: EditRequest, fields: EditForm, part: 'image', maxFiles: 1 }),
    price: quoteEdit, // resolves the model, checks ratio, resolution and quality
    run: runEdit, // opens the picture, has it changed
    respond: renderEdit, // one file
  }),
})

import { EditForm, MAX_INPUT_IMAGES, MultiEditRequest } from '@/lib/contract/images.schema'
import { quoteMultiEdit, renderEdit, runEdit } from '@/lib/endpoints/images/edit'
import { jsonOrForm } from '@/lib/endpoints/images/image-io'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: jsonOrForm({ body: MultiEditRequest, fields: EditForm, part: 'images', maxFiles: MAX_INPUT_IMAGES }),
    price: quoteMultiEdit, // as an edit, and how many pictures the model takes
    run: runEdit, // opens the pictures in their order, has the first changed
    respond: renderEdit, // one file
  }),
})

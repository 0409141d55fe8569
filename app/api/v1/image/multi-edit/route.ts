import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { jsonOrForm } from '@/lib/images/body'
import { quoteMultiEdit } from '@/lib/images/edit-quote'
import { renderEdit, runEdit } from '@/lib/images/edit-run'
import { EditForm, MAX_INPUT_IMAGES, MultiEditRequest } from '@/lib/images/edit-schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: jsonOrForm({ body: MultiEditRequest, fields: EditForm, part: 'images', maxFiles: MAX_INPUT_IMAGES }),
    price: quoteMultiEdit, // as an edit, and how many pictures the model takes
    run: runEdit, // opens the pictures in their order, has the first changed
    respond: renderEdit, // one file
  }),
})

import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { jsonOrForm } from '@/lib/images/body'
import { quoteEdit } from '@/lib/images/edit-quote'
import { renderEdit, runEdit } from '@/lib/images/edit-run'
import { EditForm, EditRequest } from '@/lib/images/edit-schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: jsonOrForm({ body: EditRequest, fields: EditForm, part: 'image', maxFiles: 1 }),
    price: quoteEdit, // resolves the model, checks ratio, resolution and quality
    run: runEdit, // opens the picture, has it changed
    respond: renderEdit, // one file
  }),
})

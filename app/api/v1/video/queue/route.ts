import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { queueing } from '@/lib/jobs/queueing'
import { orderVideo } from '@/lib/video/quote'
import { VideoQueueRequest } from '@/lib/video/schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(VideoQueueRequest),
    price: orderVideo, // resolves the model, refuses what it does not make
    run: queueing('video'), // the job and its money in one transaction
    respond: async (id, { model }) => jsonReply({ model: model.id, queue_id: await id }),
  }),
})

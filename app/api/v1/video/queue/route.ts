import { VideoQueueRequest } from '@/lib/contract/video.schema'
import { queueVideo, renderQueued } from '@/lib/endpoints/video/job'
import { orderVideo } from '@/lib/endpoints/video/quote'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(VideoQueueRequest),
    price: orderVideo, // resolves the model, refuses what it does not make
    run: queueVideo, // what it refers to decides the price; the job and its money in one transaction
    respond: renderQueued,
  }),
})

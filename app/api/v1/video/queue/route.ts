import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { queueFilm, renderQueued } from '@/lib/video/queue-film'
import { orderVideo } from '@/lib/video/quote'
import { VideoQueueRequest } from '@/lib/video/schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(VideoQueueRequest),
    price: orderVideo, // resolves the model, refuses what it does not make
    run: queueFilm, // what it refers to decides the price; the job and its money in one transaction
    respond: renderQueued,
  }),
})

import { AudioQueueRequest } from '@/lib/contract/audio.schema'
import { orderAudio } from '@/lib/endpoints/audio/music'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { jsonReply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { queueing } from '@/lib/services/jobs/queue'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(AudioQueueRequest),
    price: orderAudio, // resolves the model, refuses what it does not do
    run: queueing('music'), // the job and its money in one transaction
    respond: async (id, { model }) => jsonReply({ model: model.id, queue_id: await id, status: 'QUEUED' }),
  }),
})

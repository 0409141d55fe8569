import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { orderAudio } from '@/lib/audio-jobs/quote'
import { AudioQueueRequest } from '@/lib/audio-jobs/schema'
import { queueing } from '@/lib/services/jobs/queueing'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(AudioQueueRequest),
    price: orderAudio, // resolves the model, refuses what it does not do
    run: queueing('music'), // the job and its money in one transaction
    respond: async (id, { model }) => jsonReply({ model: model.id, queue_id: await id, status: 'QUEUED' }),
  }),
})

import { z } from 'zod'

const queueId = z.string().min(1, 'must not be empty').max(256)
const model = z.string().min(1).max(256).optional()

/**
 * Body of `POST /audio/retrieve` and `/video/retrieve`. Open: wallet clients send fields of their own, and leave the
 * model out. Source: API contract, audio.md and video.md.
 */
export const RetrieveRequest = z
  .object({
    queue_id: queueId.meta({ description: 'The job, as `queue` named it.' }),
    model: model.meta({ description: 'Not needed; where it is sent it has to be the model of the job.' }),
    delete_media_on_completion: z
      .boolean()
      .optional()
      .meta({ description: 'Deletes the result once it was fetched whole.' }),
    delete_after_retrieval: z
      .boolean()
      .optional()
      .meta({ description: 'An older name of `delete_media_on_completion`.' }),
  })
  .transform(({ queue_id, model, delete_media_on_completion, delete_after_retrieval }) => ({
    id: queue_id,
    model,
    deletes: delete_media_on_completion ?? delete_after_retrieval ?? false,
  }))
export type RetrieveRequest = z.output<typeof RetrieveRequest>

/** Body of `POST /audio/complete` and `/video/complete`. Closed. */
export const CompleteRequest = z
  .strictObject({
    queue_id: queueId.meta({ description: 'The job, as `queue` named it.' }),
    model: model.meta({ description: 'Not needed; where it is sent it has to be the model of the job.' }),
  })
  .transform(({ queue_id, model }) => ({ id: queue_id, model }))
export type CompleteRequest = z.output<typeof CompleteRequest>

export const QuoteResponse = z.strictObject({ quote: z.number().min(0).meta({ description: 'The price in dollars.' }) })

/** Reply of `POST /audio/retrieve` and `/video/retrieve` while there is no file yet. Milliseconds. */
export const ProgressResponse = z.strictObject({
  status: z.literal('PROCESSING'),
  average_execution_time: z
    .int()
    .min(0)
    .meta({ description: "Milliseconds that four of five of the model's newest jobs took." }),
  execution_duration: z.int().min(0).meta({ description: 'Milliseconds that this one has been running.' }),
})

export const CompletedResponse = ProgressResponse.extend({
  status: z.literal('COMPLETED'),
  download_url: z.url().meta({ description: 'Where the film is fetched, without credentials.' }),
})

export const VideoProgress = z.union([ProgressResponse, CompletedResponse])

export const CompleteResponse = z.strictObject({ success: z.boolean().meta({ description: 'Whether it is done.' }) })

export type QuoteResponse = z.output<typeof QuoteResponse>
export type ProgressResponse = z.output<typeof ProgressResponse>
export type CompleteResponse = z.output<typeof CompleteResponse>

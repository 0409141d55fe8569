import { z } from 'zod'

const job = {
  queue_id: z.string().min(1, 'must not be empty').max(256).describe('ID of the job, as returned by `queue`.'),
  model: z.string().min(1).max(256).optional().describe('Model ID of the job. Optional; must match the job if sent.'),
}

/**
 * Body of `POST /audio/retrieve` and `/video/retrieve`. Open, since wallet clients send extra fields and omit the
 * model. Source: API contract, audio.md and video.md.
 */
export const RetrieveRequest = z
  .object({
    ...job,
    delete_media_on_completion: z.boolean().optional().describe('Deletes the result after a complete download.'),
    delete_after_retrieval: z.boolean().optional().describe('Legacy name of `delete_media_on_completion`.'),
  })
  .transform(({ queue_id, model, delete_media_on_completion, delete_after_retrieval }) => ({
    id: queue_id,
    model,
    deletes: delete_media_on_completion ?? delete_after_retrieval ?? false,
  }))
export type RetrieveRequest = z.output<typeof RetrieveRequest>

export const CompleteRequest = z.strictObject(job).transform(({ queue_id, model }) => ({ id: queue_id, model }))
export type CompleteRequest = z.output<typeof CompleteRequest>

export const QuoteResponse = z.strictObject({ quote: z.number().min(0).describe('Price in US dollars.') })

export const ProgressResponse = z.strictObject({
  status: z.literal('PROCESSING'),
  average_execution_time: z
    .int()
    .min(0)
    .describe("Execution time in milliseconds within which four of five of the model's latest jobs finished."),
  execution_duration: z.int().min(0).describe('Execution time of this job so far, in milliseconds.'),
})

export const CompletedResponse = ProgressResponse.extend({
  status: z.literal('COMPLETED'),
  download_url: z.url().describe('Download URL of the video. Requires no credentials.'),
})

export const VideoProgress = z.union([ProgressResponse, CompletedResponse])

export const CompleteResponse = z.strictObject({
  success: z.boolean().describe('`true` if the job was completed.'),
})

export type QuoteResponse = z.output<typeof QuoteResponse>
export type ProgressResponse = z.output<typeof ProgressResponse>
export type CompleteResponse = z.output<typeof CompleteResponse>

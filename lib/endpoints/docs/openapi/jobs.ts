import type { ErrorCode } from '@/lib/contract/errors'
import {
  CompleteRequest,
  CompleteResponse,
  ProgressResponse,
  QuoteResponse,
  RetrieveRequest,
} from '@/lib/contract/jobs.schema'
import type { Content, HeaderFamily, JsonBody, NamedSchema, Operation } from '@/lib/endpoints/docs/openapi/operation'

const QUEUE_ID = '5b1f4b8e-6f0a-4a0e-9d0b-3c1f5d2a7e11'

const OF_JOBS: ErrorCode[] = ['REQUEST_ID_NOT_FOUND', 'MODEL_NOT_FOUND', 'INVALID_MODEL']

export const quoteOperation = (id: string, summary: string, json: JsonBody): Operation => ({
  id,
  summary,
  access: 'none',
  body: { json },
  content: [{ kind: 'json', name: 'JobQuote', schema: QuoteResponse, example: { quote: 0.25 } }],
  sends: ['model'],
  errors: ['INVALID_MODEL', 'MODEL_NOT_FOUND', 'REGION_RESTRICTED', 'MODEL_RETIRED', 'MODEL_OFFLINE'],
})

const JOB_PROGRESS: NamedSchema = { name: 'JobProgress', schema: ProgressResponse }

export const retrieveOperation = (
  id: string,
  summary: string,
  {
    types,
    sends = [],
    progress = JOB_PROGRESS,
    refusals,
  }: { types: readonly string[]; sends?: readonly HeaderFamily[]; progress?: NamedSchema; refusals?: NamedSchema[] },
): Operation => ({
  id,
  summary,
  description:
    'Returns JSON while the job is queued or running, then the file, for 24 hours. `delete_media_on_completion` deletes the file after the download. Free.',
  access: 'paid',
  body: { json: { name: 'JobRetrieveRequest', schema: RetrieveRequest, example: { queue_id: QUEUE_ID } } },
  content: [
    {
      kind: 'json',
      ...progress,
      example: { status: 'PROCESSING', average_execution_time: 30_000, execution_duration: 1_200 },
    },
    { kind: 'bytes', types },
  ],
  sends: ['model', ...sends],
  errors: [
    ...OF_JOBS,
    'MEDIA_NOT_FOUND',
    'CONTENT_POLICY_VIOLATION',
    'INFERENCE_FAILED',
    'UPSTREAM_FAILED',
    'MODEL_OVERLOADED',
    'MODEL_AT_CAPACITY',
    'MODEL_OFFLINE',
    'REQUEST_TIMEOUT',
  ],
  ...(refusals && { errorSchemas: { 422: refusals } }),
})

export const completeOperation = (id: string, summary: string): Operation => ({
  id,
  summary,
  description:
    'Deletes the result of a job. A job that has not finished is cancelled and refunded. Repeated requests have no effect.',
  access: 'paid',
  body: { json: { name: 'JobCompleteRequest', schema: CompleteRequest, example: { queue_id: QUEUE_ID } } },
  content: [{ kind: 'json', name: 'JobCompleted', schema: CompleteResponse, example: { success: true } }],
  sends: ['model'],
  errors: OF_JOBS,
})

export const queued = (name: string, schema: NamedSchema['schema'], example: object): Content => ({
  kind: 'json',
  name,
  schema,
  example: { ...example, queue_id: QUEUE_ID },
})

import { z } from 'zod'

// Source: API contract, README 7.1.

type DetailTree = { _errors: string[]; [field: string]: DetailTree | string[] }

export const ErrorDetails: z.ZodType<DetailTree> = z
  .object({
    _errors: z.array(z.string()).meta({ description: 'What is wrong here; the fields below have trees of their own.' }),
  })
  .catchall(z.lazy(() => z.union([z.array(z.string()), ErrorDetails]))) as unknown as z.ZodType<DetailTree>

export const ErrorBody = z.object({
  error: z.string().meta({ description: 'For people: what is wrong, and what to do about it.' }),
  code: z.string().meta({ description: 'For programs. It never changes its meaning.' }),
})
export const InvalidRequestError = ErrorBody.extend({
  details: z.lazy(() => ErrorDetails).meta({ description: 'The faults as a tree of fields.' }),
  issues: z
    .array(
      z.object({
        code: z.string().meta({ description: 'The kind of fault.' }),
        path: z.array(z.union([z.string(), z.number()])).meta({ description: 'The field, from the outside in.' }),
        message: z.string().meta({ description: 'What is wrong with it.' }),
      }),
    )
    .meta({ description: 'The faults as a list.' }),
})

export const ContextOverflowError = z.object({
  error: z
    .object({
      message: z.string().meta({ description: 'For people: what is wrong, and what to do about it.' }),
      type: z.literal('invalid_request_error'),
      param: z.literal('messages'),
      code: z.literal('context_length_exceeded'),
    })
    .meta({ description: 'The error, in the form of OpenAI.' }),
})

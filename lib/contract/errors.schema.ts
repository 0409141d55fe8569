import { z } from 'zod'

// Source: API contract, README 7.1.

type DetailTree = { _errors: string[]; [field: string]: DetailTree | string[] }

export const ErrorDetails: z.ZodType<DetailTree> = z
  .object({
    _errors: z.array(z.string()).describe('Errors at this level; nested fields have their own entries.'),
  })
  .catchall(z.lazy(() => z.union([z.array(z.string()), ErrorDetails]))) as unknown as z.ZodType<DetailTree>

export const ErrorBody = z.object({
  error: z.string().describe('Human-readable message: the problem and how to fix it.'),
  code: z.string().describe('Machine-readable code. Its meaning never changes.'),
})
export const InvalidRequestError = ErrorBody.extend({
  details: z.lazy(() => ErrorDetails).describe('Errors as a tree of fields.'),
  issues: z
    .array(
      z.object({
        code: z.string().describe('Type of the error.'),
        path: z.array(z.union([z.string(), z.number()])).describe('Path of the field, outermost first.'),
        message: z.string().describe('Description of the error.'),
      }),
    )
    .describe('Errors as a list.'),
})

export const ContextOverflowError = z.object({
  error: z
    .object({
      message: z.string().describe('Human-readable message: the problem and how to fix it.'),
      type: z.literal('invalid_request_error'),
      param: z.literal('messages'),
      code: z.literal('context_length_exceeded'),
    })
    .describe('Error in the OpenAI format.'),
})

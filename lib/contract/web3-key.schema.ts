import { z } from 'zod'
import { ConsumptionLimit, ExpiresAt } from '@/lib/contract/key-fields.schema'
import { MAX_KEY_DESCRIPTION_CHARS } from '@/lib/contract/limits'

/** A signature of a contract wallet may be long; a token has about 300 characters. */
const MAX_SIGNATURE_CHARACTERS = 32_768

/** The body of `POST /api_keys/generate_web3_key`: closed. Source: API contract, api-keys.md. */
export const Web3KeyBody = z
  .strictObject({
    address: z.string(),
    signature: z.string().max(MAX_SIGNATURE_CHARACTERS),
    token: z.string(),
    apiKeyType: z.enum(['ADMIN', 'INFERENCE']),
    description: z.string().max(MAX_KEY_DESCRIPTION_CHARS).default('Web3 API Key'),
    consumptionLimit: ConsumptionLimit.optional(),
    limitPeriod: z.enum(['EPOCH', 'MONTH', 'LIFETIME']).optional(),
    modelPrivacy: z.enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY']).optional(),
    expiresAt: ExpiresAt.optional(),
  })
  .transform(({ apiKeyType, consumptionLimit, ...body }) => ({ ...body, type: apiKeyType, limits: consumptionLimit }))

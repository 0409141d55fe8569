import type { z } from 'zod'
import type { ErrorCode } from '@/lib/contract/errors'
import type { Access } from '@/lib/contract/reference'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** A schema under its name in the document. Two schemas never share a name. */
export type NamedSchema = { name: string; schema: z.ZodType }

/** Families of response headers. */
export type HeaderFamily =
  | 'model'
  | 'web'
  | 'pagination'
  | 'compressed'
  | 'file'
  | 'image'
  | 'instance'
  | 'rpc'
  | 'cursor'
  | 'audio'
  | 'payment'
  | 'deprecated'

export type JsonBody = NamedSchema & { example: unknown }

/** A multipart form and the part with its file or files. The example has the other fields. */
export type FormBody = NamedSchema & {
  file: string
  fileDescription: string
  mostFiles: number
  isFileOptional?: boolean
  example: Record<string, string | string[]>
}

export type Content =
  | (NamedSchema & { kind: 'json'; example: unknown })
  | { kind: 'events'; description: string; event: NamedSchema }
  | { kind: 'text'; type: string; example: string }
  | { kind: 'bytes'; types: readonly string[] }

export type Operation = {
  /** Unique; generated clients name their methods by it. */
  id: string
  summary: string
  description?: string
  access: Access
  path?: Record<string, { description: string; example: string; choices?: readonly string[] }>
  /** The schemas that the route parses its query with: one, or one for each way to ask. */
  query?: readonly z.ZodType[]
  headers?: Record<string, string>
  body?: { json?: JsonBody; form?: FormBody; isOptional?: boolean }
  /** Contents of a 200; empty where every answer is an error. */
  content: readonly Content[]
  sends?: readonly HeaderFamily[]
  errors?: readonly ErrorCode[]
  /** Bodies of errors without the standard shape, by status. */
  errorSchemas?: Partial<Record<number, NamedSchema[]>>
  isDeprecated?: boolean
}

/** Operations of one tag: `POST /path` with the path below the base, parameters in braces. */
export type Group = {
  tag: string
  description: string
  operations: Record<`${Method} /${string}`, Operation>
}

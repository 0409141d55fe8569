// Entry of a process that reads documents, one at a time. Node runs it unbundled.
import { type Refusal, serve } from '../../kernel/process-pool/child.ts'
import { readDocument } from './documents.ts'
import { ExtractionError, type ExtractionFailure, type ParserJob, type ParserResult } from './parser-protocol.ts'
import { decodeText } from './text.ts'

serve<ParserJob, ParserResult, ExtractionFailure>(async (job) => {
  if (job.type === 'document') return { type: 'document', ...(await readDocument(job)) }
  if (job.type === 'text') {
    const { text, isTruncated } = decodeText(job.bytes, job)
    return { type: 'document', parts: [{ text }], isTruncated }
  }
  const { readPage } = await import('./page.ts')
  return { type: 'page', page: readPage(job.bytes, job) }
}, extractionRefusal)

// Hides the words of a library, which may quote the document.
function extractionRefusal(error: unknown): Refusal<ExtractionFailure> {
  const { reason, message } = error instanceof ExtractionError ? error : new ExtractionError('corrupt')
  return { reason, message }
}

export type Chunk = {
  choices: { delta: { content?: string | null }; finish_reason: string | null }[]
  usage?: { completion_tokens: number; prompt_tokens: number }
  cost?: { usd: number; diem: number }
  error?: { message: string; code: string }
}

/** Reads a stream as most of the field's hand-written readers do: by lines, `data: ` with a space, `[DONE]` ends it. */
export async function readAsTheFieldDoes(response: Response): Promise<{ chunks: Chunk[]; isDone: boolean }> {
  const chunks: Chunk[] = []
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  while (true) {
    const { done, value } = await reader.read()
    if (done) return { chunks, isDone: false }
    rest += decoder.decode(value, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue
      if (line.includes('[DONE]')) return { chunks, isDone: true }
      chunks.push(JSON.parse(line.slice(6)) as Chunk)
    }
  }
}

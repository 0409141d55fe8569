export function Method({ method }: { method: string }) {
  const colour = method === 'DELETE' ? 'text-danger' : method === 'GET' ? 'text-ink-3' : 'text-accent'
  return <span className={`shrink-0 font-mono text-12 font-semibold ${colour}`}>{method}</span>
}

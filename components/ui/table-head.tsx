/** The name of a column; of numbers at their end. */
export const Head = ({ children, isEnd = false }: { children: string; isEnd?: boolean }) => (
  <th scope="col" className={`pb-2 font-medium ${isEnd ? 'ps-3 text-end' : 'pe-3 text-start'}`}>
    {children}
  </th>
)

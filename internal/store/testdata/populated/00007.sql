-- What version 7 may leave besides: an event of a trace.
UPDATE malote.events SET traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

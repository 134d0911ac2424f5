-- What version 11 may have left besides: a lane that is known to be slow.

UPDATE malote.lanes SET standing = 'slow';
